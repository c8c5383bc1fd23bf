import { Effect, Option } from "effect"
import { LRUCache } from "lru-cache"
import { Config } from "../config.ts"
import { Changes } from "../db/changes.ts"
import { fencedCache } from "../db/fenced-cache.ts"
import { hashText } from "../secrets/token.ts"
import { batchedUses } from "../shared/batched-uses.ts"
import { foundOr } from "../shared/found.ts"
import { InvalidApiKey } from "./errors.ts"
import type { VerifiedKey } from "./model.ts"
import { ApiKeyRepo, revokedTopic } from "./repo.ts"

/** Shared, because made-up keys come in floods. */
const unknown = new InvalidApiKey({ reason: "key-unknown" })

/** The minimum number of milliseconds between two records of one key's use. */
const recordInterval = 60_000

/** Caches keys. A revocation by another process takes effect within a second (`fencedCache`). */
export class KeyVerification extends Effect.Service<KeyVerification>()("KeyVerification", {
  scoped: Effect.gen(function* () {
    const repo = yield* ApiKeyRepo
    const { keyCacheKeys: capacity } = yield* Config
    const cache = yield* fencedCache<VerifiedKey>(yield* Changes, {
      name: "platform_keys",
      capacity,
      topics: { [revokedTopic]: ({ id }) => id }
    })

    const recordUse = yield* batchedUses({
      job: "keys.uses",
      write: repo.markUsed,
      retryAfter: "keys.uses_retry",
      warning: "Could not record when API keys were used; trying again",
      writesAtEnd: true
    })
    const recordedAt = new LRUCache<string, number>({ max: capacity })

    /** Records the use. A crash loses at most a minute. */
    const used = (key: VerifiedKey): VerifiedKey => {
      const now = performance.now()
      if (now - (recordedAt.get(key.id) ?? -recordInterval) >= recordInterval) {
        recordedAt.set(key.id, now)
        recordUse(key.id)
      }
      return key
    }

    return {
      /** In this process; the database notifies the others. */
      forget: (id: string) => Effect.sync(() => cache.forget(revokedTopic, id)),

      remembered: (hash: Uint8Array): VerifiedKey | undefined => {
        const key = cache.get(hashText(hash))
        return key === undefined ? undefined : used(key)
      },

      /** Fails with `InvalidApiKey` if the key is unknown, revoked or expired. */
      lookUp: (hash: Uint8Array): Effect.Effect<VerifiedKey, InvalidApiKey> =>
        Effect.suspend(() => {
          const question = Effect.flatMap(
            repo.findByHash(hash),
            Option.match({
              onNone: () => Effect.succeedNone,
              onSome: ({ reason, remaining_ms, ...row }) =>
                reason === null
                  ? Effect.succeedSome({
                      value: {
                        kind: "api_key" as const,
                        id: row.id,
                        name: row.name,
                        companyId: row.company_id,
                        scopes: row.scopes
                      },
                      remainingMillis: remaining_ms
                    })
                  : Effect.fail(new InvalidApiKey({ reason }))
            })
          )
          return cache.load(hashText(hash), question).pipe(
            foundOr(() => unknown),
            Effect.map(used)
          )
        })
    }
  })
}) {}
