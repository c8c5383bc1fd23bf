import * as Effect from "effect/Effect"
import { Api } from "../api.ts"
import { CurrentUser } from "../http/credentials.ts"
import { group } from "../http/handlers.ts"
import { Audit } from "./service.ts"

/** The routes of `AuditEventsApi`. */
export const layer = group(Api, "audit-events", (handlers) =>
  Effect.map(Audit, (audit) =>
    handlers.handle("list", ({ urlParams: { cursor, ...query } }) =>
      Effect.map(
        Effect.flatMap(CurrentUser, ({ company }) => audit.list(company.id, { ...query, before: cursor })),
        ({ events, next }) => ({ events, next_cursor: next === null ? null : String(next) })
      )
    )
  )
)
