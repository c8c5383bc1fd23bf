import { Effect } from "effect"
import { CurrentUser } from "../../accounts/guards.ts"
import { group } from "../../http/runtime/handlers.ts"
import { UsageApi } from "./api.ts"
import { Usage } from "./service.ts"

/** The routes of `UsageApi`. */
export const layer = group(UsageApi, (handlers) =>
  Effect.map(Usage, (usage) =>
    handlers
      .handle("subscription", ({ path, urlParams }) =>
        Effect.map(
          Effect.flatMap(CurrentUser, ({ company }) => usage.ofSubscription(company.id, path.id, urlParams)),
          (found) => ({ usage: found })
        )
      )
      .handle("api", ({ path, urlParams }) =>
        Effect.map(
          Effect.flatMap(CurrentUser, ({ company }) => usage.ofApi(company.id, path.id, urlParams)),
          (found) => ({ usage: found })
        )
      )
  )
)
