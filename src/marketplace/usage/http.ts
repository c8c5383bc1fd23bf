import { Effect } from "effect"
import { inCompany } from "../../accounts/credential.ts"
import { group } from "../../http/runtime/handlers.ts"
import { UsageApi } from "./api.ts"
import { Usage } from "./service.ts"

export const layer = group(UsageApi, (handlers) =>
  Effect.map(Usage, (usage) =>
    handlers
      .handle("subscription", ({ path, urlParams }) =>
        inCompany((company) => usage.ofSubscription(company, path.id, urlParams)).pipe(Effect.bindTo("usage"))
      )
      .handle("api", ({ path, urlParams }) =>
        inCompany((company) => usage.ofApi(company, path.id, urlParams)).pipe(Effect.bindTo("usage"))
      )
  )
)
