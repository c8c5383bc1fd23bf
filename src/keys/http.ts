import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Layer, Schema } from "effect"
import { asUser, inCompany } from "../accounts/credential.ts"
import { group } from "../http/runtime/handlers.ts"
import { readCursor } from "../shared/cursor.ts"
import { ok } from "../shared/schemas.ts"
import { ApiKeysApi, CreatedApiKey } from "./api.ts"
import { CallerCredential } from "./credential.ts"
import { callerGuards } from "./guards.ts"
import { largestPage } from "./model.ts"
import { warningsOf } from "./scopes-model.ts"
import { ApiKeys } from "./service.ts"

const encodeCreated = Schema.encodeSync(CreatedApiKey)

export const layer = group(ApiKeysApi, (handlers) =>
  Effect.map(ApiKeys, (keys) =>
    handlers
      .handle("list", ({ urlParams: { cursor, limit } }) =>
        inCompany((company) =>
          cursor === undefined && limit === undefined
            ? Effect.map(keys.list(company), (apiKeys) => ({ apiKeys }))
            : keys.page(company, limit ?? largestPage, readCursor(cursor))
        )
      )
      .handle("create", ({ payload }) =>
        Effect.map(
          asUser((by) => keys.create(by, payload)),
          (made) => {
            const warnings = warningsOf(payload.scopes, made.apiKey)
            return HttpServerResponse.unsafeJson(encodeCreated(made), {
              status: 201,
              headers: warnings.length === 0 ? {} : { "doorlock-warnings": warnings.join(", ") }
            })
          }
        )
      )
      .handle("stats", () => inCompany(keys.stats).pipe(Effect.bindTo("stats")))
      .handle("revoke", ({ path }) => asUser((by) => keys.revoke(by, path.id)).pipe(Effect.as(ok)))
  )
)

/** For the routes of every feature. */
export const credentials = Layer.effectContext(
  Effect.map(CallerCredential, ({ authenticate }) => callerGuards.implementedBy(authenticate))
)
