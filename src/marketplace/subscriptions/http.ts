import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Layer, Schema } from "effect"
import { asUser, inCompany } from "../../accounts/credential.ts"
import { group } from "../../http/runtime/handlers.ts"
import { forActor, forCaller } from "../../keys/credential.ts"
import { ok } from "../../shared/schemas.ts"
import { SubscribeAnswer, SubscriptionsApi } from "./api.ts"
import { MarketplaceKeysApi } from "./keys-api.ts"
import { MarketplaceKeys } from "./keys-service.ts"
import { Subscriptions } from "./service.ts"

const encodeAnswer = Schema.encodeSync(SubscribeAnswer)

const subscriptionGroup = group(SubscriptionsApi, (handlers) =>
  Effect.gen(function* () {
    const subscriptions = yield* Subscriptions
    return handlers
      .handle("subscribe", ({ headers, path, payload }) =>
        Effect.map(
          forActor((by) =>
            subscriptions.subscribe(by, {
              apiId: path.apiId,
              ...payload,
              idempotencyKey: headers["idempotency-key"]
            })
          ),
          ({ replayed, ...answer }) =>
            HttpServerResponse.unsafeJson(encodeAnswer(answer), {
              status: 201,
              headers: replayed ? { "idempotent-replayed": "true" } : {}
            })
        )
      )
      .handle("list", () => forCaller(subscriptions.list).pipe(Effect.bindTo("subscriptions")))
      .handle("get", ({ path }) =>
        forCaller((company) => subscriptions.get(company, path.id)).pipe(Effect.bindTo("subscription"))
      )
      .handle("cancel", ({ path }) => asUser((by) => subscriptions.cancel(by, path.id)).pipe(Effect.as(ok)))
  })
)

const keyGroup = group(MarketplaceKeysApi, (handlers) =>
  Effect.map(MarketplaceKeys, (keys) =>
    handlers
      .handle("list", ({ path }) =>
        inCompany((company) => keys.list(company, path.id)).pipe(Effect.bindTo("apiKeys"))
      )
      .handle("create", ({ path, payload }) => asUser((by) => keys.create(by, path.id, payload)))
      .handle("revoke", ({ path }) => asUser((by) => keys.revoke(by, path.id)).pipe(Effect.as(ok)))
      .handle("rotate", ({ path, payload }) => asUser((by) => keys.rotate(by, path.id, payload.graceSeconds)))
  )
)

export const layer = Layer.merge(subscriptionGroup, keyGroup)
