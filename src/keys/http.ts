import * as Effect from "effect/Effect"
import { actingUser } from "../accounts/credential.ts"
import { CurrentUser } from "../accounts/guards.ts"
import { readCursor, writeCursor } from "../cursor.ts"
import { group } from "../http/runtime/handlers.ts"
import { ok } from "../model.ts"
import { parseIsoDate } from "../shared/iso-date.ts"
import { ApiKeysApi } from "./api.ts"
import { largestPage } from "./model.ts"
import { ApiKeys } from "./service.ts"

/** The routes of `ApiKeysApi`. */
export const layer = group(ApiKeysApi, (handlers) =>
  Effect.map(ApiKeys, (keys) =>
    handlers
      .handle("list", ({ urlParams: { cursor, limit } }) =>
        Effect.flatMap(CurrentUser, ({ company }) =>
          cursor === undefined && limit === undefined
            ? Effect.map(keys.list(company.id), (apiKeys) => ({ apiKeys }))
            : Effect.map(
                keys.page(
                  company.id,
                  limit ?? largestPage,
                  cursor === undefined ? undefined : readCursor(cursor)
                ),
                ({ apiKeys, next }) => ({ apiKeys, next_cursor: next === null ? null : writeCursor(next) })
              )
        )
      )
      .handle("create", ({ payload }) =>
        Effect.flatMap(actingUser, (by) =>
          keys.create(by, {
            name: payload.name,
            scopes: payload.scopes,
            expiresAt: payload.expiresAt === undefined ? undefined : parseIsoDate(payload.expiresAt)
          })
        )
      )
      .handle("stats", () =>
        Effect.map(
          Effect.flatMap(CurrentUser, ({ company }) => keys.stats(company.id)),
          (stats) => ({ stats })
        )
      )
      .handle("revoke", ({ path }) =>
        Effect.as(
          Effect.flatMap(actingUser, (by) => keys.revoke(by, path.id)),
          ok
        )
      )
  )
)
