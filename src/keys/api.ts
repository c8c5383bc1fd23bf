import { Schema } from "effect"
import { user } from "../accounts/guards.ts"
import { fails } from "../http/contract/error-responses.ts"
import {
  arrayOf,
  isoDate,
  optional,
  optionalNullable,
  pageCursor,
  required,
  trimmedText,
  wholeNumber
} from "../http/contract/fields.ts"
import { created, route, routeGroup } from "../http/contract/routes.ts"
import { Ok } from "../shared/schemas.ts"
import { isStorableText } from "../shared/storable.ts"
import { ApiKeyNotFound, KeyCollision, TooManyApiKeys } from "./errors.ts"
import { examples } from "./examples.ts"
import { ApiKey, ApiKeyStats, largestPage } from "./model.ts"
import { keyWarnings } from "./scopes-model.ts"

const scopesInvalid = "scopes must be an array of at most 100 strings"

/** In characters. Every list repeats the scopes. */
const maxScopeLength = 200

const Scope = Schema.String.pipe(
  Schema.filter((scope) => scope !== "" && scope.length <= maxScopeLength && isStorableText(scope))
)

const Scopes = arrayOf(Scope, 100, scopesInvalid)

export const CreateApiKey = Schema.Struct({
  name: required(trimmedText("name", 200)),
  scopes: optionalNullable(Scopes).annotations({
    default: ["*"],
    description: "What the key may do, such as `kyc:sessions:create`."
  }),
  expiresAt: optionalNullable(isoDate("expiresAt", "Without it, the key never expires."))
}).annotations({ identifier: "CreateApiKey" })

export const CreatedApiKey = Schema.Struct({
  apiKey: ApiKey,
  token: Schema.String.annotations({ description: "The key's secret token. It is returned only once." })
}).annotations({ identifier: "CreatedApiKey" })

/** The company's platform API keys (contract.md#platform-api-keys). */
export class ApiKeysApi extends routeGroup(
  "api-keys",
  {
    title: "Platform API keys",
    description: "Keys for the company's servers to call doorlock's API.",
    examples
  },
  route("list", "GET /api/api-keys", {
    summary: "List the company's keys, newest first",
    description: `With \`limit\` or \`cursor\`, returns a page of at most ${largestPage} keys, and \`next_cursor\` is null on the last page. Otherwise returns all keys.`,
    access: user("read"),
    query: Schema.Struct({
      limit: optional(
        wholeNumber(
          "limit",
          1,
          largestPage,
          "The maximum number of keys in the response. Without `limit` and `cursor`, all keys."
        )
      ),
      cursor: pageCursor
    }),
    success: Schema.Struct({
      apiKeys: Schema.Array(ApiKey),
      next_cursor: Schema.optional(
        Schema.NullOr(Schema.String).annotations({
          description:
            "The cursor of the next page; null on the last page. Absent without `limit` and `cursor`."
        })
      )
    }),
    unexpected: "Failed to list API keys",
    compressed: true
  }),
  route("create", "POST /api/api-keys", {
    summary: "Create a key; only this response contains its token",
    access: user("write"),
    body: CreateApiKey,
    success: created(CreatedApiKey),
    responseHeaders: {
      "doorlock-warnings": {
        description: `What may be wrong with the key: ${Object.keys(keyWarnings)
          .map((code) => `\`${code}\``)
          .join(", ")}; several with a comma between them. Absent if nothing is. New ones may be added.`
      }
    },
    errors: [
      fails(KeyCollision, 409, "Please retry (key collision)"),
      fails(TooManyApiKeys, 409, "A company has at most 1000 active API keys", {
        describe: ({ counted, most }) =>
          counted === "active"
            ? `A company has at most ${most} active API keys`
            : `A company has at most ${most} API keys, those that ended within the last 90 days included`
      })
    ],
    unexpected: "Failed to create API key"
  }),
  route("stats", "GET /api/api-keys/stats", {
    summary: "Count the company's keys",
    access: user("read"),
    success: Schema.Struct({ stats: ApiKeyStats }),
    unexpected: "Failed to load API key stats"
  }),
  route("revoke", "POST /api/api-keys/:id/revoke", {
    summary: "Revoke a key, permanently and at once",
    access: user("write"),
    ids: { id: "the key" },
    success: Ok,
    errors: [fails(ApiKeyNotFound, 404, "API key not found")],
    unexpected: "Failed to revoke key"
  })
) {}
