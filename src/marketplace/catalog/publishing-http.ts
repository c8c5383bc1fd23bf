import { Effect } from "effect"
import { actingUser } from "../../accounts/credential.ts"
import { CurrentUser } from "../../accounts/guards.ts"
import { group } from "../../http/runtime/handlers.ts"
import { ok } from "../../model.ts"
import { PublishingApi } from "./publishing-api.ts"
import { Publishing } from "./publishing-service.ts"

/** The routes of `PublishingApi`. */
export const layer = group(PublishingApi, (handlers) =>
  Effect.map(Publishing, (publishing) =>
    handlers
      .handle("becomePublisher", ({ payload }) =>
        Effect.map(
          Effect.flatMap(actingUser, (by) => publishing.becomePublisher(by, payload)),
          (publisher) => ({ publisher })
        )
      )
      .handle("publisher", () =>
        Effect.map(
          Effect.flatMap(CurrentUser, ({ company }) => publishing.publisher(company.id)),
          (publisher) => ({ publisher })
        )
      )
      .handle("list", () =>
        Effect.map(
          Effect.flatMap(CurrentUser, ({ company }) => publishing.list(company.id)),
          (apis) => ({ apis })
        )
      )
      .handle("addApi", ({ payload }) =>
        Effect.map(
          Effect.flatMap(actingUser, (by) => publishing.addApi(by, payload)),
          (api) => ({ api })
        )
      )
      .handle("changeApi", ({ path, payload }) =>
        Effect.map(
          Effect.flatMap(actingUser, (by) => publishing.changeApi(by, path.apiId, payload)),
          (api) => ({ api })
        )
      )
      .handle("addVersion", ({ path, payload }) =>
        Effect.map(
          Effect.flatMap(actingUser, (by) => publishing.addVersion(by, path.apiId, payload)),
          (version) => ({ version })
        )
      )
      .handle("addPlan", ({ path, payload }) =>
        Effect.map(
          Effect.flatMap(actingUser, (by) => publishing.addPlan(by, path.apiId, payload)),
          (plan) => ({ plan })
        )
      )
      .handle("publish", ({ path }) =>
        Effect.as(
          Effect.flatMap(actingUser, (by) => publishing.publish(by, path.apiId)),
          ok
        )
      )
      .handle("unpublish", ({ path }) =>
        Effect.as(
          Effect.flatMap(actingUser, (by) => publishing.unpublish(by, path.apiId)),
          ok
        )
      )
  )
)
