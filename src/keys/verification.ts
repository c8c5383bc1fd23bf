import { Effect, Option } from "effect"
import { Changes } from "../db/changes.ts"
import { fencedCache } from "../db/fenced-cache.ts"
import { hashText } from "../secrets/token.ts"
import { InvalidApiKey } from "./errors.ts"
import { LastUsed } from "./last-used.ts"
import type { VerifiedKey } from "./model.ts"
import { ApiKeyRepo, revokedTopic } from "./repo.ts"

/**
 * The maximum number of cached keys, at about a kilobyte each. Beyond it, the key that was verified first is verified
 * again.
 */
const capacity = 20_000

/**
 * Verifies platform keys by the hash of their token: a cached key needs no query, any other one indexed query. A
 * revocation by this process takes effect at once, one by another process within a second (`fencedCache`).
 */
export class KeyVerification extends Effect.Service<KeyVerification>()("KeyVerification", {
  scoped: Effect.gen(function* () {
    const repo = yield* ApiKeyRepo
    const lastUsed = yield* LastUsed
    const cache = yield* fencedCache<VerifiedKey>(yield* Changes, {
      name: "platform_keys",
      capacity,
      topics: { [revokedTopic]: ({ id }) => id }
    })

    const used = (key: VerifiedKey): VerifiedKey => {
      lastUsed.touch(key.id)
      return key
    }

    return {
      /** Removes the key from this process's cache; the database notifies the other processes. */
      forget: (id: string) => Effect.sync(() => cache.forget(revokedTopic, id)),

      /** The key for a token's hash, if it is cached. */
      remembered: (hash: Uint8Array): VerifiedKey | undefined => {
        const key = cache.get(hashText(hash))
        return key === undefined ? undefined : used(key)
      },

      /** The key for a token's hash; `InvalidApiKey` if it is unknown, revoked or expired. */
      lookUp: (hash: Uint8Array): Effect.Effect<VerifiedKey, InvalidApiKey> =>
        Effect.suspend(() => {
          const question = Effect.map(
            repo.findUsable(hash),
            Option.map((row) => ({
              value: {
                kind: "api_key" as const,
                id: row.id,
                name: row.name,
                companyId: row.company_id,
                scopes: row.scopes
              },
              remainingMillis: row.remaining_ms
            }))
          )
          return Effect.flatMap(
            cache.load(hashText(hash), question),
            Option.match({
              onNone: () => Effect.fail(new InvalidApiKey()),
              onSome: (key) => Effect.succeed(used(key))
            })
          )
        })
    }
  })
}) {}
