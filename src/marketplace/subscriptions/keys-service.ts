import { Effect } from "effect"
import type { Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { newToken } from "../../secrets/token.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import {
  KeyNotRotatable,
  MarketplaceKeyNotFound,
  SubscriptionCancelled,
  SubscriptionNotFound,
  TooManyKeys
} from "./errors.ts"
import { MarketplaceKeyRepo } from "./keys-repo.ts"
import { type KeyMode, keyToMake, maxActiveKeys, prefixOf } from "./model.ts"
import { SubscriptionRepo } from "./repo.ts"
import { Subscriptions } from "./service.ts"
import { MarketplaceKeyVerification } from "./verification.ts"

/** Seconds for which a rotated key keeps working, by default. */
const defaultGrace = 86_400

const subscriptionNotFound = () => new SubscriptionNotFound()
const keyNotFound = () => new MarketplaceKeyNotFound()

/** The marketplace keys of a company's subscriptions (contract.md#marketplace-keys). */
export class MarketplaceKeys extends Effect.Service<MarketplaceKeys>()("MarketplaceKeys", {
  effect: Effect.gen(function* () {
    const audit = yield* Audit
    const repo = yield* MarketplaceKeyRepo
    const subscriptionRepo = yield* SubscriptionRepo
    const subscriptions = yield* Subscriptions
    const verification = yield* MarketplaceKeyVerification

    /** Newest first, in any state. Fails with `SubscriptionNotFound`, also for another company's. */
    const list = Effect.fnUntraced(function* (companyId: string, subscriptionId: string) {
      const { id } = yield* subscriptions.get(companyId, subscriptionId)
      return yield* repo.list(id)
    })

    /** Creates a key. Its token is only in this response and, hashed, in the database. */
    const create = Effect.fnUntraced(function* (
      by: Actor,
      subscriptionId: string,
      request: { readonly name: string; readonly mode?: KeyMode | undefined }
    ) {
      const known = yield* idOr(subscriptionId, subscriptionNotFound)
      const mode = request.mode ?? "live"
      const token = newToken(prefixOf(mode))
      const apiKey = yield* Effect.gen(function* () {
        const { status } = yield* subscriptionRepo
          .lock(by.companyId, known)
          .pipe(foundOr(subscriptionNotFound))
        if (status !== "active") return yield* new SubscriptionCancelled()
        if ((yield* repo.countActive(known)) >= maxActiveKeys) return yield* new TooManyKeys()
        return yield* repo.insert({
          ...keyToMake(mode, token),
          subscriptionId: known,
          name: request.name,
          mode
        })
      }).pipe(
        audit.recording(by, ({ id, name, token_prefix }) => [
          {
            action: "marketplace_key.created",
            id,
            name,
            details: { subscription_id: known, mode, token_prefix }
          }
        ])
      )
      return { apiKey, token }
    })

    /** Permanent: refused here at once, elsewhere within a second. Fails with `MarketplaceKeyNotFound`. */
    const revoke = Effect.fnUntraced(function* (by: Actor, id: string) {
      const known = yield* idOr(id, keyNotFound)
      yield* repo.revoke(by.companyId, known).pipe(
        foundOr(keyNotFound),
        audit.recording(by, ({ mode, name, subscription_id, was_active }) =>
          was_active
            ? [{ action: "marketplace_key.revoked", id: known, name, details: { subscription_id, mode } }]
            : []
        )
      )
      yield* verification.forgetKey(known)
    })

    /** The mode of a key. Fails if the key does not exist or its subscription is cancelled. */
    const modeOf = Effect.fnUntraced(function* (companyId: string, id: string) {
      const { mode, subscription_active } = yield* repo.find(companyId, id).pipe(foundOr(keyNotFound))
      if (!subscription_active) return yield* new SubscriptionCancelled()
      return mode
    })

    /**
     * The new key has the same name and mode and expires no later. The old one stays valid for
     * `graceSeconds`, at most until its own expiry. Of concurrent rotations, one succeeds and the others fail
     * with `KeyNotRotatable`.
     */
    const rotate = Effect.fnUntraced(function* (by: Actor, id: string, graceSeconds: number = defaultGrace) {
      const known = yield* idOr(id, keyNotFound)
      const mode = yield* modeOf(by.companyId, known)
      const token = newToken(prefixOf(mode))
      const apiKey = yield* repo.rotate(by.companyId, known, keyToMake(mode, token), graceSeconds).pipe(
        foundOr(() => new KeyNotRotatable()),
        audit.recording(by, ({ id: rotated_to, name, subscription_id, token_prefix }) => {
          const details = { subscription_id, mode, rotated_to, token_prefix, grace_seconds: graceSeconds }
          return [{ action: "marketplace_key.rotated", id: known, name, details }]
        }),
        // The subscription may have been cancelled between the two.
        Effect.tapError(() => modeOf(by.companyId, known))
      )
      yield* verification.forgetKey(known)
      return { apiKey, token }
    })

    return { list, create, revoke, rotate }
  })
}) {}
