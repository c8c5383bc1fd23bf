import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { DashboardMember, DashboardSession } from "../accounts/guards.ts"
import { answers, fails } from "../http/contract/answers.ts"
import {
  cursor,
  idOf,
  NoFields,
  optional,
  optionalNullable,
  refusing,
  required,
  trimmedText,
  unstorableText,
  wholeNumber
} from "../http/contract/fields.ts"
import { listAtMost, Ok } from "../model.ts"
import { parseIsoDate } from "../shared/iso-date.ts"
import { isStorableText } from "../shared/storable.ts"
import { ApiKeyNotFound, KeyCollision, TooManyApiKeys } from "./errors.ts"
import { examples } from "./examples.ts"
import { ApiKey, ApiKeyStats, largestPage } from "./model.ts"

const nameRequired = "name is required"
const nameTooLong = "name must be at most 200 characters"
const scopesInvalid = "scopes must be an array of at most 100 strings"
const limitInvalid = `limit must be a whole number from 1 to ${largestPage}`
const cursorInvalid = "cursor must be the next_cursor of another page"
const expiresAtInvalid = "expiresAt must be an ISO date string"

/** The maximum length of a scope. Scopes are names, and every list repeats them. */
const maxScopeLength = 200

const Scope = refusing(
  Schema.String.pipe(
    Schema.filter((scope) => scope !== "" && scope.length <= maxScopeLength && isStorableText(scope))
  ),
  scopesInvalid
)

const Scopes = listAtMost(Scope, 100, scopesInvalid)

const ExpiresAt = refusing(
  Schema.String.pipe(
    Schema.filter((text) => parseIsoDate(text) !== undefined, {
      jsonSchema: { description: "An ISO 8601 date or date-time." }
    })
  ),
  expiresAtInvalid
)

export const CreateApiKey = Schema.Struct({
  name: required(
    trimmedText({ field: "name", message: nameRequired, maxLength: 200, tooLong: nameTooLong }),
    nameRequired
  ),
  scopes: optionalNullable(Scopes).annotations({ default: ["*"] }),
  expiresAt: optionalNullable(ExpiresAt)
}).annotations({ identifier: "CreateApiKey" })

const CreatedApiKey = Schema.Struct({
  apiKey: ApiKey,
  token: Schema.String.annotations({ description: "The secret. It is shown here and never again." })
}).annotations({ identifier: "CreatedApiKey" })

/** The company's platform API keys (contract.md#platform-api-keys). */
export class ApiKeysApi extends HttpApiGroup.make("api-keys")
  .add(
    HttpApiEndpoint.get("list", "/api/api-keys")
      .setUrlParams(
        Schema.Struct({
          limit: optional(
            wholeNumber(
              1,
              largestPage,
              limitInvalid,
              "The most that are listed. Without it, and without `cursor`: all."
            )
          ),
          cursor: optional(cursor(cursorInvalid))
        })
      )
      .addSuccess(
        Schema.Struct({
          apiKeys: Schema.Array(ApiKey),
          next_cursor: Schema.optional(
            Schema.NullOr(Schema.String).annotations({ description: "Of a page; null on the last one." })
          )
        })
      )
      .annotate(OpenApi.Summary, "List the company's keys, newest first")
      .annotate(
        OpenApi.Description,
        `All keys, or, with \`limit\` or \`cursor\`, a page of at most ${largestPage}. There are more while \`next_cursor\` is not null.`
      )
      .pipe(
        answers({
          example: examples.list,
          rejects: [limitInvalid, cursorInvalid],
          unexpected: "Failed to list API keys",
          compressed: true
        })
      )
      .middleware(DashboardSession)
  )
  .add(
    HttpApiEndpoint.post("create", "/api/api-keys")
      .setPayload(CreateApiKey)
      .addSuccess(CreatedApiKey, { status: 201 })
      .addError(fails(KeyCollision, 409, "Please retry (key collision)"))
      .addError(
        fails(TooManyApiKeys, 409, "A company has at most 1000 active API keys", {
          describe: ({ counted, most }) =>
            counted === "active"
              ? `A company has at most ${most} active API keys`
              : `A company has at most ${most} API keys, those that ended within the last 90 days included`
        })
      )
      .annotate(OpenApi.Summary, "Create a key; the answer is the only one that carries the secret")
      .pipe(
        answers({
          example: examples.create,
          rejects: [nameRequired, nameTooLong, unstorableText("name"), scopesInvalid, expiresAtInvalid],
          unexpected: "Failed to create API key"
        })
      )
      .middleware(DashboardMember)
  )
  .add(
    HttpApiEndpoint.get("stats", "/api/api-keys/stats")
      .addSuccess(Schema.Struct({ stats: ApiKeyStats }))
      .annotate(OpenApi.Summary, "Count the company's keys")
      .pipe(answers({ example: examples.stats, unexpected: "Failed to load API key stats" }))
      .middleware(DashboardSession)
  )
  .add(
    HttpApiEndpoint.post("revoke", "/api/api-keys/:id/revoke")
      .setPath(Schema.Struct({ id: idOf("the key") }))
      .setPayload(NoFields)
      .addSuccess(Ok)
      .addError(fails(ApiKeyNotFound, 404, "API key not found"))
      .annotate(OpenApi.Summary, "Revoke a key, for good and at once")
      .pipe(answers({ example: examples.revoke, unexpected: "Failed to revoke key" }))
      .middleware(DashboardMember)
  )
  .annotate(OpenApi.Title, "Platform API keys")
  .annotate(OpenApi.Description, "Keys with which the company's servers call the API.") {}
