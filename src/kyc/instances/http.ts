import { Effect } from "effect"
import { actingUser } from "../../accounts/credential.ts"
import { CurrentUser } from "../../accounts/guards.ts"
import { group } from "../../http/runtime/handlers.ts"
import { InstancesApi } from "./api.ts"
import { Instances } from "./service.ts"

/** The routes of `InstancesApi`. */
export const layer = group(InstancesApi, (handlers) =>
  Effect.map(Instances, (instances) =>
    handlers
      .handle("list", () =>
        Effect.map(
          Effect.flatMap(CurrentUser, ({ company }) => instances.list(company.id)),
          (found) => ({ instances: found })
        )
      )
      .handle("create", ({ payload }) =>
        Effect.map(
          Effect.flatMap(actingUser, (by) => instances.create(by, payload)),
          (instance) => ({ instance })
        )
      )
      .handle("get", ({ path }) =>
        Effect.map(
          Effect.flatMap(CurrentUser, ({ company }) => instances.get(company.id, path.id)),
          (instance) => ({ instance })
        )
      )
      .handle("update", ({ path, payload }) =>
        Effect.map(
          Effect.flatMap(actingUser, (by) => instances.update(by, path.id, payload)),
          (instance) => ({ instance })
        )
      )
  )
)
