import { Effect } from "effect"
import { asUser, inCompany } from "../../accounts/credential.ts"
import { group } from "../../http/runtime/handlers.ts"
import { InstancesApi } from "./api.ts"
import { Instances } from "./service.ts"

export const layer = group(InstancesApi, (handlers) =>
  Effect.map(Instances, (instances) =>
    handlers
      .handle("list", () => inCompany(instances.list).pipe(Effect.bindTo("instances")))
      .handle("create", ({ payload }) =>
        asUser((by) => instances.create(by, payload)).pipe(Effect.bindTo("instance"))
      )
      .handle("get", ({ path }) =>
        inCompany((company) => instances.get(company, path.id)).pipe(Effect.bindTo("instance"))
      )
      .handle("update", ({ path, payload }) =>
        asUser((by) => instances.update(by, path.id, payload)).pipe(Effect.bindTo("instance"))
      )
  )
)
