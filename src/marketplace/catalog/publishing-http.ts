import { Effect } from "effect"
import { asUser, inCompany } from "../../accounts/credential.ts"
import { group } from "../../http/runtime/handlers.ts"
import { ok } from "../../shared/schemas.ts"
import { PublishingApi } from "./publishing-api.ts"
import { Publishing } from "./publishing-service.ts"

export const layer = group(PublishingApi, (handlers) =>
  Effect.map(Publishing, (publishing) =>
    handlers
      .handle("becomePublisher", ({ payload }) =>
        asUser((by) => publishing.becomePublisher(by, payload)).pipe(Effect.bindTo("publisher"))
      )
      .handle("publisher", () => inCompany(publishing.publisher).pipe(Effect.bindTo("publisher")))
      .handle("list", () => inCompany(publishing.list).pipe(Effect.bindTo("apis")))
      .handle("addApi", ({ payload }) =>
        asUser((by) => publishing.addApi(by, payload)).pipe(Effect.bindTo("api"))
      )
      .handle("changeApi", ({ path, payload }) =>
        asUser((by) => publishing.changeApi(by, path.apiId, payload)).pipe(Effect.bindTo("api"))
      )
      .handle("addVersion", ({ path, payload }) =>
        asUser((by) => publishing.addVersion(by, path.apiId, payload)).pipe(Effect.bindTo("version"))
      )
      .handle("addPlan", ({ path, payload }) =>
        asUser((by) => publishing.addPlan(by, path.apiId, payload)).pipe(Effect.bindTo("plan"))
      )
      .handle("publish", ({ path }) => asUser((by) => publishing.publish(by, path.apiId)).pipe(Effect.as(ok)))
      .handle("unpublish", ({ path }) =>
        asUser((by) => publishing.unpublish(by, path.apiId)).pipe(Effect.as(ok))
      )
  )
)
