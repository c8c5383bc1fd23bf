import type * as HttpApi from "@effect/platform/HttpApi"
import type { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"

/** Loads the API that the service serves. It says how a command reports what a use case fails with. */
export type LoadContract = () => Promise<{
  readonly Api: HttpApi.HttpApi<string, HttpApiGroup.HttpApiGroup.Any, HttpApiDecodeError>
}>
