import { Effect } from "effect"
import { inCompany } from "../accounts/credential.ts"
import { group } from "../http/runtime/handlers.ts"
import { AuditEventsApi } from "./api.ts"
import { Audit } from "./service.ts"

export const layer = group(AuditEventsApi, (handlers) =>
  Effect.map(Audit, (audit) =>
    handlers.handle("list", ({ urlParams: { cursor, ...query } }) =>
      Effect.map(
        inCompany((company) => audit.list(company, { ...query, before: cursor })),
        ({ events, next }) => ({ events, next_cursor: next === null ? null : String(next) })
      )
    )
  )
)
