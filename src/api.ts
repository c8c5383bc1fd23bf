/** The contract: the routes of all features. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { allGroups, allWebhooks, withGroups } from "./feature.ts"
import { features } from "./features.ts"
import { apiName } from "./http/contract/error-responses.ts"
import { Webhooks } from "./http/contract/openapi-webhooks.ts"
import { maxBodyBytes } from "./http/contract/refusals.ts"

const description = [
  "Platform API keys, identity-verification (KYC) sessions, and a marketplace of APIs.",
  'The body of every error response is `{"error": "<message>"}`; that of captcha/verify also has `"ok": false`. Programs should read the error\'s code in the header `doorlock-error`. Each route lists its codes; any path may also respond with 404 `not-found`, 405 `method-not-allowed` and 500 `internal-server-error`.',
  `Request bodies are JSON of at most ${maxBodyBytes / 2 ** 20} MiB, except uploads. Unknown fields and query parameters are ignored; the header \`doorlock-ignored\` lists their names. Numbers are read as IEEE 754 doubles. Times are ISO 8601 in UTC.`,
  "Every response has the header `x-request-id`, by which the operator finds the request in the logs."
].join("\n\n")

export const Api = withGroups(HttpApi.make(apiName), allGroups(features))
  .annotate(OpenApi.Title, "doorlock")
  .annotate(OpenApi.Version, "0.1.0")
  .annotate(OpenApi.Description, description)
  .annotate(Webhooks, allWebhooks(features))
