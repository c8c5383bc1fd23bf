import { Effect } from "effect"
import { CurrentUser } from "../accounts/guards.ts"
import { group } from "../http/runtime/handlers.ts"
import { AuditEventsApi } from "./api.ts"
import { Audit } from "./service.ts"

/** The routes of `AuditEventsApi`. */
export const layer = group(AuditEventsApi, (handlers) =>
  Effect.map(Audit, (audit) =>
    handlers.handle("list", ({ urlParams: { cursor, ...query } }) =>
      Effect.map(
        Effect.flatMap(CurrentUser, ({ company }) => audit.list(company.id, { ...query, before: cursor })),
        ({ events, next }) => ({ events, next_cursor: next === null ? null : String(next) })
      )
    )
  )
)
