import { Effect, Option } from "effect"
import { Changes } from "../../db/changes.ts"
import { fencedCache } from "../../db/fenced-cache.ts"
import { hashText, isWellFormed, tokenHash, tokenHashText } from "../../secrets/token.ts"
import type { PlannedCall } from "../limits/model.ts"
import { accountIdOf, type UpstreamKind } from "../usage/model.ts"
import { InvalidMarketplaceKey } from "./errors.ts"
import { keyChangedTopic, MarketplaceKeyRepo } from "./keys-repo.ts"
import type { VerifiedMarketplaceKey } from "./model.ts"
import { subscriptionChangedTopic } from "./repo.ts"

/** Maximum number of cached keys, about a kilobyte each. Beyond it, the oldest is evicted. */
const capacity = 20_000

/**
 * Verifies marketplace keys: without a query if the key is cached or its checksum is wrong, otherwise with one indexed query. This
 * process's changes to a key or its subscription apply at once, those of another process within a second (`fencedCache`). The end of a
 * key's grace period is exact to the millisecond of the database's clock.
 */
export class MarketplaceKeyVerification extends Effect.Service<MarketplaceKeyVerification>()(
  "MarketplaceKeyVerification",
  {
    scoped: Effect.gen(function* () {
      const repo = yield* MarketplaceKeyRepo
      const cache = yield* fencedCache<VerifiedMarketplaceKey>(yield* Changes, {
        name: "marketplace_keys",
        capacity,
        topics: {
          [keyChangedTopic]: ({ keyId }) => keyId,
          [subscriptionChangedTopic]: ({ subscriptionId }) => subscriptionId
        }
      })

      return {
        /** Removes the key from this process's cache. The database notifies other processes. */
        forgetKey: (id: string) => Effect.sync(() => cache.forget(keyChangedTopic, id)),

        /** Removes the subscription's keys from this process's cache. */
        forgetSubscription: (id: string) => Effect.sync(() => cache.forget(subscriptionChangedTopic, id)),

        /** The key behind `token`, if it is cached. */
        remembered: (token: string): VerifiedMarketplaceKey | undefined => cache.get(tokenHashText(token)),

        /**
         * The key behind `token`. Fails with `InvalidMarketplaceKey` if the token is malformed, unknown, revoked or expired. A cancelled
         * subscription's key is returned, marked as such.
         */
        lookUp: (token: string): Effect.Effect<VerifiedMarketplaceKey, InvalidMarketplaceKey> =>
          Effect.suspend(() => {
            if (!isWellFormed("dk_live_", token) && !isWellFormed("dk_test_", token)) {
              return Effect.fail(new InvalidMarketplaceKey())
            }
            const hash = tokenHash(token)
            const question = Effect.map(
              repo.findUsable(hash),
              Option.map((row) => {
                const callTo = (upstream: UpstreamKind): PlannedCall => ({
                  keyId: row.id,
                  account: accountIdOf(row.company_id, row.api_id, upstream),
                  requestsPerMinute: row.requests_per_minute,
                  requestsPerMonth: row.requests_per_month
                })
                return {
                  value: {
                    keyId: row.id,
                    subscriptionId: row.subscription_id,
                    companyId: row.company_id,
                    apiId: row.api_id,
                    mode: row.mode,
                    subscriptionActive: row.subscription_active,
                    planId: row.plan_id,
                    calls: { live: callTo("live"), sandbox: callTo("sandbox") }
                  },
                  remainingMillis: row.remaining_ms
                }
              })
            )
            return Effect.flatMap(
              cache.load(hashText(hash), question),
              Option.match({
                onNone: () => Effect.fail(new InvalidMarketplaceKey()),
                onSome: Effect.succeed
              })
            )
          })
      }
    })
  }
) {}
