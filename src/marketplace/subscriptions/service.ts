import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import type { Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { transaction } from "../../db/sql.ts"
import { hkdfSha256 } from "../../secrets/digest.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { tokenFrom } from "../../secrets/token.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { newId, parseId } from "../../shared/identifier.ts"
import { ApiNotFound } from "../catalog/errors.ts"
import { IdempotencyKeyReused, PlanNotFound, RequestInProgress, SubscriptionNotFound } from "./errors.ts"
import { fingerprint, requestIdentity } from "./idempotency-model.ts"
import { IdempotencyRepo } from "./idempotency-repo.ts"
import { MarketplaceKeyRepo } from "./keys-repo.ts"
import { keyToMake, prefixOf, Subscribed } from "./model.ts"
import { SubscriptionRepo } from "./repo.ts"
import { MarketplaceKeyVerification } from "./verification.ts"

const notFound = () => new SubscriptionNotFound()
const apiNotFound = () => new ApiNotFound()

/** The route under which responses are stored. An Idempotency-Key belongs to the route, whatever the API. */
const route = "POST /api/api-marketplace/apis/:apiId/subscribe"

interface SubscribeRequest {
  readonly apiId: string
  readonly planId: string
  /** The name of the first key. */
  readonly name: string
  /** In canonical form. */
  readonly idempotencyKey: string
}

/**
 * A company's subscriptions to published APIs. Subscribing is safe to retry (contract.md#subscribing): the
 * first key's token is never stored, but derived from a key under `SECRET_KEY`, the subscription's id and the
 * Idempotency-Key, of which the database has only a hash. So a retry gets the same token, and nobody else can
 * derive it, even with a copy of the database.
 */
export class Subscriptions extends Effect.Service<Subscriptions>()("Subscriptions", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* SubscriptionRepo
    const keys = yield* MarketplaceKeyRepo
    const audit = yield* Audit
    const answers = yield* IdempotencyRepo
    const verification = yield* MarketplaceKeyVerification
    const secretKey = yield* SecretKey
    const tokenKey = secretKey.derive("marketplace-key")
    const acceptedKeys = secretKey.accepted("marketplace-key")
    const decodeAnswer = Schema.decodeUnknownSync(Subscribed)
    const encodeAnswer = Schema.encodeSync(Subscribed)

    const tokenOf = (key: Uint8Array, subscriptionId: string, idempotencyKey: string) =>
      tokenFrom(prefixOf("live"), hkdfSha256(key, subscriptionId, idempotencyKey))

    const make = Effect.fnUntraced(function* ({ companyId }: Actor, request: SubscribeRequest) {
      const apiId = yield* idOr(request.apiId, apiNotFound)
      const planId = parseId(request.planId)
      const { api_name, has_plan } = yield* repo.offer(apiId, planId).pipe(foundOr(apiNotFound))
      if (planId === undefined || !has_plan) return yield* new PlanNotFound()
      const subscription = yield* repo.insert({ id: newId(), companyId, apiId, planId })
      const token = tokenOf(tokenKey, subscription.id, request.idempotencyKey)
      const apiKey = yield* keys.insert({
        ...keyToMake("live", token),
        subscriptionId: subscription.id,
        name: request.name,
        mode: "live"
      })
      return { answer: { subscription, apiKey }, apiName: api_name, token }
    })

    /** Creates the subscription, its key and the stored response: all or none. A retry is `replayed`. */
    const subscribe = Effect.fnUntraced(function* (by: Actor, request: SubscribeRequest) {
      const identity = requestIdentity(by.companyId, route, request.idempotencyKey)
      const { apiId, name, planId } = request
      const asked = fingerprint(parseId(apiId) ?? apiId, parseId(planId) ?? planId, name)
      // A separate statement before the read, which must see what the lock's previous holder wrote.
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
      // Under another SECRET_KEY, the derived token would be one that nobody knows.
      if (token === undefined) {
        return yield* Effect.dieMessage("The first key was made under another SECRET_KEY")
      }
      return { ...answer, token, replayed: true }
    }, transaction(sql))

    /** Also fails with `SubscriptionNotFound` for another company's subscription. */
    const get = (companyId: string, id: string) =>
      idOr(id, notFound).pipe(
        Effect.flatMap((known) => repo.find(companyId, known)),
        foundOr(notFound)
      )

    /** Permanent. This process rejects its keys at once, other processes within a second. */
    const cancel = Effect.fnUntraced(function* (by: Actor, id: string) {
      const known = yield* idOr(id, notFound)
      yield* repo.cancel(by.companyId, known).pipe(
        foundOr(notFound),
        audit.recording(by, ({ api_id, api_name, was_active }) =>
          was_active
            ? [{ action: "subscription.cancelled", id: known, name: api_name, details: { api_id } }]
            : []
        )
      )
      yield* verification.forgetSubscription(known)
    })

    return {
      /** Newest first, including cancelled ones. */
      list: repo.list,
      get,
      subscribe,
      cancel
    }
  })
}) {}
