import { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Layer, Schema } from "effect"
import { actingUser } from "../../accounts/credential.ts"
import { CurrentUser } from "../../accounts/guards.ts"
import { group } from "../../http/runtime/handlers.ts"
import { heldBodyAs } from "../../http/runtime/held-body.ts"
import { ok } from "../../model.ts"
import { Subscribe, SubscribeAnswer, SubscriptionsApi } from "./api.ts"
import { MarketplaceKeysApi } from "./keys-api.ts"
import { MarketplaceKeys } from "./keys-service.ts"
import { Subscriptions } from "./service.ts"
import { Subscribing } from "./subscribe-service.ts"

/** The company of the signed-in user. */
const companyId = Effect.map(CurrentUser, ({ company }) => company.id)

const decodeSubscribe = Schema.decodeUnknown(Subscribe)
const encodeAnswer = Schema.encodeSync(SubscribeAnswer)

const subscriptionGroup = group(SubscriptionsApi, (handlers) =>
  Effect.gen(function* () {
    const subscriptions = yield* Subscriptions
    const { subscribe } = yield* Subscribing
    return handlers
      .handleRaw("subscribe", ({ headers, path }) =>
        Effect.gen(function* () {
          // Decoded by hand, because the framework reads the body before the headers: a missing Idempotency-Key must be reported first.
          const payload = yield* Effect.flatten(Effect.orDie(heldBodyAs(decodeSubscribe))).pipe(
            Effect.catchTag("ParseError", HttpApiDecodeError.refailParseError)
          )
          const { replayed, ...answer } = yield* subscribe(yield* actingUser, {
            apiId: path.apiId,
            ...payload,
            idempotencyKey: headers["idempotency-key"]
          })
          return HttpServerResponse.unsafeJson(encodeAnswer(answer), {
            status: 201,
            headers: replayed ? { "idempotent-replayed": "true" } : {}
          })
        })
      )
      .handle("list", () =>
        Effect.map(Effect.flatMap(companyId, subscriptions.list), (found) => ({ subscriptions: found }))
      )
      .handle("get", ({ path }) =>
        Effect.map(
          Effect.flatMap(companyId, (company) => subscriptions.get(company, path.id)),
          (subscription) => ({ subscription })
        )
      )
      .handle("cancel", ({ path }) =>
        Effect.as(
          Effect.flatMap(actingUser, (by) => subscriptions.cancel(by, path.id)),
          ok
        )
      )
  })
)

const keyGroup = group(MarketplaceKeysApi, (handlers) =>
  Effect.map(MarketplaceKeys, (keys) =>
    handlers
      .handle("list", ({ path }) =>
        Effect.map(
          Effect.flatMap(companyId, (company) => keys.list(company, path.id)),
          (apiKeys) => ({ apiKeys })
        )
      )
      .handle("create", ({ path, payload }) =>
        Effect.flatMap(actingUser, (by) => keys.create(by, path.id, payload))
      )
      .handle("revoke", ({ path }) =>
        Effect.as(
          Effect.flatMap(actingUser, (by) => keys.revoke(by, path.id)),
          ok
        )
      )
      .handle("rotate", ({ path, payload }) =>
        Effect.flatMap(actingUser, (by) => keys.rotate(by, path.id, payload.graceSeconds))
      )
  )
)

/** The routes of `SubscriptionsApi` and `MarketplaceKeysApi`. */
export const layer = Layer.merge(subscriptionGroup, keyGroup)
