import { Effect } from "effect"
import { group } from "../../http/runtime/handlers.ts"
import { forCaller } from "../../keys/credential.ts"
import { UsageApi } from "./api.ts"
import { Usage } from "./service.ts"

export const layer = group(UsageApi, (handlers) =>
  Effect.map(Usage, (usage) =>
    handlers
      .handle("subscription", ({ path, urlParams }) =>
        forCaller((company) => usage.ofSubscription(company, path.id, urlParams)).pipe(Effect.bindTo("usage"))
      )
      .handle("api", ({ path, urlParams }) =>
        forCaller((company) => usage.ofApi(company, path.id, urlParams)).pipe(Effect.bindTo("usage"))
      )
  )
)
