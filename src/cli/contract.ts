import type * as HttpApi from "@effect/platform/HttpApi"
import type { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"

/** Loads the API contract, which says how a command reports the failures of use cases. */
export type LoadContract = () => Promise<{
  readonly Api: HttpApi.HttpApi<string, HttpApiGroup.HttpApiGroup.Any, HttpApiDecodeError>
}>
