import { Effect } from "effect"
import { asUser, inCompany } from "../accounts/credential.ts"
import { group } from "../http/runtime/handlers.ts"
import { readCursor } from "../shared/cursor.ts"
import { ok } from "../shared/schemas.ts"
import { ApiKeysApi } from "./api.ts"
import { largestPage } from "./model.ts"
import { ApiKeys } from "./service.ts"

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
      .handle("create", ({ payload }) => asUser((by) => keys.create(by, payload)))
      .handle("stats", () => inCompany(keys.stats).pipe(Effect.bindTo("stats")))
      .handle("revoke", ({ path }) => asUser((by) => keys.revoke(by, path.id)).pipe(Effect.as(ok)))
  )
)
