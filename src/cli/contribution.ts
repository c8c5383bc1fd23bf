import type * as HttpApi from "@effect/platform/HttpApi"
import type { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import type { Check } from "./check.ts"
import type { WholeCommand } from "./command.ts"

/** What one feature adds to the command line. Each part may be left out. */
export interface Contribution {
  readonly commands?: ReadonlyArray<WholeCommand>
  /** Its checks for `doctor`, which alone loads them. */
  readonly checks?: () => Promise<{ readonly checks: ReadonlyArray<Check> }>
}

/** What the command line is made of. */
export interface CommandLine {
  readonly features: ReadonlyArray<Contribution>
  /** The API that the service serves: it says how a command puts what a use case fails with. Loaded when it is needed. */
  readonly contract: () => Promise<{
    readonly Api: HttpApi.HttpApi<string, HttpApiGroup.HttpApiGroup.Any, HttpApiDecodeError>
  }>
}
