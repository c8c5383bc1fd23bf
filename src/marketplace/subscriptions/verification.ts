import { Effect, Option } from "effect"
import { Config } from "../../config.ts"
import { Changes } from "../../db/changes.ts"
import { fencedCache } from "../../db/fenced-cache.ts"
import { hashText, tokenHash, tokenHashText } from "../../secrets/token.ts"
import { foundOr } from "../../shared/found.ts"
import type { PlannedCall } from "../limits/model.ts"
import { accountIdOf, type UpstreamKind } from "../usage/model.ts"
import { InvalidMarketplaceKey } from "./errors.ts"
import { keyChangedTopic, MarketplaceKeyRepo } from "./keys-repo.ts"
import type { FoundKey, VerifiedMarketplaceKey } from "./model.ts"
import { subscriptionChangedTopic } from "./repo.ts"

/** Shared, because made-up keys come in floods. */
const unknown = new InvalidMarketplaceKey({ reason: "key-unknown" })

/**
 * Verifies marketplace keys, with one indexed query unless cached. Changes apply here at once, in other
 * processes within a second (`fencedCache`), and a key's expiry to the millisecond of the database's clock.
 */
export class MarketplaceKeyVerification extends Effect.Service<MarketplaceKeyVerification>()(
  "MarketplaceKeyVerification",
  {
    scoped: Effect.gen(function* () {
      const repo = yield* MarketplaceKeyRepo
      const { keyCacheKeys: capacity } = yield* Config
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

        forgetSubscription: (id: string) => Effect.sync(() => cache.forget(subscriptionChangedTopic, id)),

        remembered: (token: string): VerifiedMarketplaceKey | undefined => cache.get(tokenHashText(token)),

        /** `token` is well-formed. Fails with the reason if the key is not valid. Finds a cancelled subscription's key too, marked as such. */
        lookUp: (token: string): Effect.Effect<VerifiedMarketplaceKey, InvalidMarketplaceKey> =>
          Effect.suspend(() => {
            const hash = tokenHash(token)
            const found = ({
              reason,
              remainingMillis,
              requestsPerMinute,
              requestsPerMonth,
              ...key
            }: FoundKey) => {
              if (reason !== null) return Effect.fail(new InvalidMarketplaceKey({ reason }))
              const callTo = (upstream: UpstreamKind): PlannedCall => ({
                keyId: key.keyId,
                mode: key.mode,
                subscriptionId: key.subscriptionId,
                account: accountIdOf(key.companyId, key.apiId, upstream),
                requestsPerMinute,
                requestsPerMonth
              })
              const calls = { live: callTo("live"), sandbox: callTo("sandbox") }
              return Effect.succeedSome({ value: { ...key, calls }, remainingMillis })
            }
            const question = Effect.flatMap(
              repo.findByHash(hash),
              Option.match({ onNone: () => Effect.succeedNone, onSome: found })
            )
            return foundOr(() => unknown)(cache.load(hashText(hash), question))
          })
      }
    })
  }
) {}
