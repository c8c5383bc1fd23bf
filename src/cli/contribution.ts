import type { Check } from "./check.ts"
import type { WholeCommand } from "./command.ts"
import type { LoadContract } from "./failures.ts"

/** What a feature adds to the command line. */
export interface Contribution {
  readonly commands?: ReadonlyArray<WholeCommand>
  /** Only `doctor` loads them. */
  readonly checks?: () => Promise<{ readonly checks: ReadonlyArray<Check> }>
}

export interface CommandLine {
  readonly features: ReadonlyArray<Contribution>
  readonly contract: LoadContract
}
