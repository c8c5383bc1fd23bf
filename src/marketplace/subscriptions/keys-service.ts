import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { newId, parseId } from "../../secrets/identifier.ts"
import { displayPrefix, newToken, tokenHash } from "../../secrets/token.ts"
import {
  KeyNotRotatable,
  MarketplaceKeyNotFound,
  SubscriptionCancelled,
  SubscriptionNotFound,
  TooManyKeys
} from "./errors.ts"
import { MarketplaceKeyRepo } from "./keys-repo.ts"
import { type KeyMode, maxActiveKeys, prefixOf } from "./model.ts"
import { SubscriptionRepo } from "./repo.ts"
import { Subscriptions } from "./service.ts"
import { MarketplaceKeyVerification } from "./verification.ts"

/** Seconds for which a rotated key goes on working, unless said otherwise. */
const defaultGrace = 86_400

/** A new secret of the mode, and what its row keeps of it. */
const freshToken = (mode: KeyMode) => {
  const prefix = prefixOf(mode)
  const token = newToken(prefix)
  return {
    token,
    row: { id: newId(), tokenHash: tokenHash(token), tokenPrefix: displayPrefix(prefix, token) }
  }
}

/** Marketplace keys of a company's subscriptions (contract.md#marketplace-keys). */
export class MarketplaceKeys extends Effect.Service<MarketplaceKeys>()("MarketplaceKeys", {
  effect: Effect.gen(function* () {
    const audit = yield* Audit
    const repo = yield* MarketplaceKeyRepo
    const subscriptionRepo = yield* SubscriptionRepo
    const subscriptions = yield* Subscriptions
    const verification = yield* MarketplaceKeyVerification

    /** Newest first, in whatever state. Fails with `SubscriptionNotFound` for one of another company, too. */
    const list = Effect.fnUntraced(function* (companyId: string, subscriptionId: string) {
      const { id } = yield* subscriptions.get(companyId, subscriptionId)
      return yield* repo.list(id)
    })

    /** Makes a key. Its token is in this answer and, hashed, in the database; nowhere else. */
    const create = Effect.fnUntraced(function* (
      by: Actor,
      subscriptionId: string,
      request: { readonly name: string; readonly mode?: KeyMode | undefined }
    ) {
      const known = parseId(subscriptionId)
      if (known === undefined) return yield* new SubscriptionNotFound()
      const mode = request.mode ?? "live"
      const { row, token } = freshToken(mode)
      const apiKey = yield* Effect.gen(function* () {
        const subscription = yield* subscriptionRepo.lock(by.companyId, known)
        if (Option.isNone(subscription)) return yield* new SubscriptionNotFound()
        if (subscription.value.status !== "active") return yield* new SubscriptionCancelled()
        if ((yield* repo.countActive(known)) >= maxActiveKeys) return yield* new TooManyKeys()
        return yield* repo.insert({ ...row, subscriptionId: known, name: request.name, mode })
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

    /**
     * Revokes a key for good. When this answers, this process refuses the key; every other does within a second.
     * Revoking again changes nothing. Fails with `MarketplaceKeyNotFound` for a key of another company.
     */
    const revoke = Effect.fnUntraced(function* (by: Actor, id: string) {
      const known = parseId(id)
      if (known === undefined) return yield* new MarketplaceKeyNotFound()
      const found = yield* repo.revoke(by.companyId, known).pipe(
        audit.recording(
          by,
          Option.match({
            onNone: () => [],
            onSome: ({ mode, name, subscription_id, was_active }) =>
              was_active
                ? [{ action: "marketplace_key.revoked", id: known, name, details: { subscription_id, mode } }]
                : []
          })
        )
      )
      if (Option.isNone(found)) return yield* new MarketplaceKeyNotFound()
      yield* verification.forgetKey(known)
    })

    /** The mode of a key that has a subscription to be of use for. */
    const modeOf = Effect.fnUntraced(function* (companyId: string, id: string) {
      const key = yield* repo.find(companyId, id)
      if (Option.isNone(key)) return yield* new MarketplaceKeyNotFound()
      if (!key.value.subscription_active) return yield* new SubscriptionCancelled()
      return key.value.mode
    })

    /**
     * Replaces a key by a new one of the same name and mode, which lives no longer than the old one would have.
     * The old one is good for `graceSeconds` more, at most until its own end; of several rotations at once, one
     * makes a key and the others fail with `KeyNotRotatable`.
     */
    const rotate = Effect.fnUntraced(function* (by: Actor, id: string, graceSeconds: number = defaultGrace) {
      const known = parseId(id)
      if (known === undefined) return yield* new MarketplaceKeyNotFound()
      const { row, token } = freshToken(yield* modeOf(by.companyId, known))
      const next = yield* repo.rotate(by.companyId, known, row, graceSeconds).pipe(
        audit.recording(
          by,
          Option.match({
            onNone: () => [],
            onSome: ({ id: rotatedTo, mode, name, subscription_id, token_prefix }) => [
              {
                action: "marketplace_key.rotated",
                id: known,
                name,
                details: {
                  subscription_id,
                  mode,
                  rotated_to: rotatedTo,
                  token_prefix,
                  grace_seconds: graceSeconds
                }
              }
            ]
          })
        )
      )
      // A cancellation may have come between the two.
      if (Option.isNone(next))
        return yield* Effect.zipRight(modeOf(by.companyId, known), new KeyNotRotatable())
      yield* verification.forgetKey(known)
      return { apiKey: next.value, token }
    })

    return { list, create, revoke, rotate }
  })
}) {}
