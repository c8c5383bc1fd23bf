import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Changes } from "../db/changes.ts"
import { fencedCache } from "../db/fenced-cache.ts"
import { hashText } from "../secrets/token.ts"
import { InvalidApiKey } from "./errors.ts"
import { LastUsed } from "./last-used.ts"
import type { VerifiedKey } from "./model.ts"
import { ApiKeyRepo, revokedTopic } from "./repo.ts"

/** Keys remembered, at most, a kilobyte each in all; beyond it the one verified first is verified anew. */
const capacity = 20_000

/**
 * Verifies platform keys by the hash of their token: no query for one that is remembered, one indexed query otherwise.
 * A revocation by this process holds at once, one by another within a second (`fencedCache`).
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
      /** Forgets the key in this process; other processes hear of it from the database. */
      forget: (id: string) => Effect.sync(() => cache.forget(revokedTopic, id)),

      /** The key whose token has this hash, when it needs no query to know. */
      remembered: (hash: Uint8Array): VerifiedKey | undefined => {
        const key = cache.get(hashText(hash))
        return key === undefined ? undefined : used(key)
      },

      /** The key whose token has this hash; `InvalidApiKey` when it is unknown, revoked or expired. */
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
