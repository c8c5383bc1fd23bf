/** The contract: the routes of all features. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { allGroups, withGroups } from "./feature.ts"
import { features } from "./features.ts"
import { apiName } from "./http/contract/error-responses.ts"
import { maxBodyBytes } from "./http/contract/refusals.ts"

const description = [
  "Platform API keys, identity-verification (KYC) sessions, and a marketplace of APIs.",
  'Every error is `{"error": "<message>"}`, and nothing more; captcha/verify adds `"ok": false`. Its code, for programs, is in the header `doorlock-error`: each route lists its own, and any address may also answer 404 `not-found`, 405 `method-not-allowed` and 500 `internal-server-error`.',
  `Bodies, but those of uploads, are JSON of at most ${maxBodyBytes} bytes; unknown fields are ignored. Numbers are read as IEEE 754 doubles. Times are ISO 8601 in UTC.`,
  "Every answer carries `x-request-id`."
].join("\n\n")

export const Api = withGroups(HttpApi.make(apiName), allGroups(features))
  .annotate(OpenApi.Title, "doorlock")
  .annotate(OpenApi.Version, "0.1.0")
  .annotate(OpenApi.Description, description)
