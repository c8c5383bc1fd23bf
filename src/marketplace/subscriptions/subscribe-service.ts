import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { transaction } from "../../db/sql.ts"
import { hkdfSha256 } from "../../secrets/digest.ts"
import { newId, parseId } from "../../secrets/identifier.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { displayPrefix, tokenFrom, tokenHash } from "../../secrets/token.ts"
import { ApiNotFound } from "../catalog/errors.ts"
import { IdempotencyKeyReused, PlanNotFound, RequestInProgress } from "./errors.ts"
import { fingerprint, requestIdentity } from "./idempotency-model.ts"
import { IdempotencyRepo } from "./idempotency-repo.ts"
import { MarketplaceKeyRepo } from "./keys-repo.ts"
import { prefixOf, Subscribed } from "./model.ts"
import { SubscriptionRepo } from "./repo.ts"

/** Under which answers are kept: the Idempotency-Key is of the route, whatever the API. */
const route = "POST /api/api-marketplace/apis/:apiId/subscribe"

interface SubscribeRequest {
  readonly apiId: string
  readonly planId: string
  /** Of the first key. */
  readonly name: string
  /** In its canonical form. */
  readonly idempotencyKey: string
}

/**
 * Subscribes, safely to be tried again (contract.md#subscribing).
 *
 * The first key's token is never stored. It is derived from a key under `SECRET_KEY`, the subscription's id and
 * the Idempotency-Key, of which the database has a hash: whoever sends the same request again gets the same
 * token, and nobody else can make it, by a copy of the database least of all.
 */
export class Subscribing extends Effect.Service<Subscribing>()("Subscribing", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const subscriptions = yield* SubscriptionRepo
    const keys = yield* MarketplaceKeyRepo
    const audit = yield* Audit
    const answers = yield* IdempotencyRepo
    const secretKey = yield* SecretKey
    const tokenKey = secretKey.derive("marketplace-key")
    const acceptedKeys = secretKey.accepted("marketplace-key")
    const decodeAnswer = Schema.decodeUnknownSync(Subscribed)
    const encodeAnswer = Schema.encodeSync(Subscribed)

    const prefix = prefixOf("live")
    const tokenOf = (key: Uint8Array, subscriptionId: string, idempotencyKey: string) =>
      tokenFrom(prefix, hkdfSha256(key, subscriptionId, idempotencyKey))

    const make = Effect.fnUntraced(function* ({ companyId }: Actor, request: SubscribeRequest) {
      const apiId = parseId(request.apiId)
      if (apiId === undefined) return yield* new ApiNotFound()
      const planId = parseId(request.planId)
      const offer = yield* subscriptions.offer(apiId, planId)
      if (Option.isNone(offer)) return yield* new ApiNotFound()
      if (planId === undefined || !offer.value.has_plan) return yield* new PlanNotFound()
      const subscription = yield* subscriptions.insert({ id: newId(), companyId, apiId, planId })
      const token = tokenOf(tokenKey, subscription.id, request.idempotencyKey)
      const apiKey = yield* keys.insert({
        id: newId(),
        subscriptionId: subscription.id,
        name: request.name,
        mode: "live",
        tokenHash: tokenHash(token),
        tokenPrefix: displayPrefix(prefix, token)
      })
      return { answer: { subscription, apiKey }, apiName: offer.value.api_name, token }
    })

    /**
     * Makes the subscription, its first key, and the note by which the same request gets the same answer for
     * 24 hours: all three or none. `replayed` says that it was such a retry.
     */
    const subscribe = Effect.fnUntraced(function* (by: Actor, request: SubscribeRequest) {
      const identity = requestIdentity(by.companyId, route, request.idempotencyKey)
      const { apiId, name, planId } = request
      const asked = fingerprint(parseId(apiId) ?? apiId, parseId(planId) ?? planId, name)
      // A statement of its own, before the one that looks: that must see what the last one to hold it did.
      if (!(yield* answers.take(identity))) return yield* new RequestInProgress()
      const kept = yield* answers.find(identity, asked)
      if (Option.isNone(kept)) {
        const { answer, apiName, token } = yield* make(by, request)
        yield* answers.keep(identity, asked, encodeAnswer(answer))
        const { apiKey, subscription } = answer
        yield* audit.append(by, {
          action: "subscription.created",
          id: subscription.id,
          name: apiName,
          details: {
            api_id: subscription.api_id,
            plan_id: subscription.plan_id,
            key: { id: apiKey.id, name: apiKey.name, token_prefix: apiKey.token_prefix }
          }
        })
        return { ...answer, token, replayed: false }
      }
      if (!kept.value.same) return yield* new IdempotencyKeyReused()
      const answer = decodeAnswer(kept.value.answer)
      const token = acceptedKeys
        .map((key) => tokenOf(key, answer.subscription.id, request.idempotencyKey))
        .find((candidate) => candidate.startsWith(answer.apiKey.token_prefix))
      // Under another SECRET_KEY it would be a token that nobody knows.
      if (token === undefined) {
        return yield* Effect.dieMessage("The first key was made under another SECRET_KEY")
      }
      return { ...answer, token, replayed: true }
    }, transaction(sql))

    return { subscribe }
  })
}) {}
