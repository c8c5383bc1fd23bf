import { Effect } from "effect"
import { actingUser } from "../accounts/credential.ts"
import { CurrentUser } from "../accounts/guards.ts"
import { readCursor } from "../cursor.ts"
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
            : keys.page(company.id, limit ?? largestPage, readCursor(cursor))
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
