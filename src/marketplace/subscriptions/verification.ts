import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Changes } from "../../db/changes.ts"
import { fencedCache } from "../../db/fenced-cache.ts"
import { hashText, isWellFormed, tokenHash, tokenHashText } from "../../secrets/token.ts"
import type { PlannedCall } from "../limits/model.ts"
import { accountIdOf, type UpstreamKind } from "../usage/model.ts"
import { InvalidMarketplaceKey } from "./errors.ts"
import { keyChangedTopic, MarketplaceKeyRepo } from "./keys-repo.ts"
import type { VerifiedMarketplaceKey } from "./model.ts"
import { subscriptionChangedTopic } from "./repo.ts"

/** Keys remembered, at most, a kilobyte each in all; beyond it the one verified first is verified anew. */
const capacity = 20_000

/**
 * Verifies marketplace keys: no query for one that is remembered or whose checksum is wrong, one indexed query
 * otherwise. What this process changes of a key or its subscription holds at once, what another does within
 * a second (`fencedCache`); the end of a key's grace holds to the millisecond of the database's clock.
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
        /** Forgets the key in this process; other processes hear of it from the database. */
        forgetKey: (id: string) => Effect.sync(() => cache.forget(keyChangedTopic, id)),

        /** Forgets the keys of the subscription in this process. */
        forgetSubscription: (id: string) => Effect.sync(() => cache.forget(subscriptionChangedTopic, id)),

        /** The key behind `token` when it needs no query to know. */
        remembered: (token: string): VerifiedMarketplaceKey | undefined => cache.get(tokenHashText(token)),

        /**
         * The key behind `token`; `InvalidMarketplaceKey` when it is malformed, unknown, revoked or expired. One
         * of a cancelled subscription is good, and says so.
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
