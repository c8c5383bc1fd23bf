import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Changes } from "../db/changes.ts"
import { isWellFormed, tokenHash } from "../secrets/token.ts"
import { InvalidApiKey } from "./errors.ts"
import { LastUsed } from "./last-used.ts"
import type { VerifiedKey } from "./model.ts"
import { ApiKeyRepo, revokedTopic } from "./repo.ts"

/** Keys remembered, at most; beyond it the one verified first is verified anew. */
const capacity = 10_000

const hashText = (token: string): string => Buffer.from(tokenHash(token)).toString("base64")

interface Remembered {
  readonly key: VerifiedKey
  /** On the monotonic clock. */
  readonly expiresAt: number
}

/**
 * Verifies platform keys: no query for one that is remembered or whose checksum is wrong, one indexed
 * query otherwise.
 *
 * What is remembered is used only while `Changes` is trusted, that is while every revocation committed
 * more than a second ago has been heard of. A revocation by this process is forgotten at once. An answer
 * of the database that was on its way while anything was revoked is not remembered: it may be older.
 */
export class KeyVerification extends Effect.Service<KeyVerification>()("KeyVerification", {
  scoped: Effect.gen(function* () {
    const repo = yield* ApiKeyRepo
    const lastUsed = yield* LastUsed
    const changes = yield* Changes
    const byHash = new Map<string, Remembered>()
    let revocations = 0

    const forget = (id: string): void => {
      revocations++
      for (const [hash, { key }] of byHash) if (key.id === id) byHash.delete(hash)
    }
    const forgetAll = (): void => {
      revocations++
      byHash.clear()
    }
    yield* changes.subscribe(revokedTopic, forget, forgetAll)

    const remember = (hash: string, remembered: Remembered) => {
      byHash.set(hash, remembered)
      if (byHash.size <= capacity) return
      for (const oldest of byHash.keys()) {
        byHash.delete(oldest)
        break
      }
    }

    const used = (key: VerifiedKey): VerifiedKey => {
      lastUsed.touch(key.id)
      return key
    }

    return {
      /** Forgets the key in this process; other processes hear of it from the database. */
      forget: (id: string) => Effect.sync(() => forget(id)),

      /** The key behind `token` when it needs no query to know. */
      remembered: (token: string): VerifiedKey | undefined => {
        if (!changes.isTrusted()) return undefined
        const entry = byHash.get(hashText(token))
        return entry !== undefined && performance.now() < entry.expiresAt ? used(entry.key) : undefined
      },

      /** The key behind `token`; `InvalidApiKey` when it is malformed, unknown, revoked or expired. */
      lookUp: (token: string): Effect.Effect<VerifiedKey, InvalidApiKey> =>
        Effect.suspend(() => {
          if (!isWellFormed("dlk_", token)) return Effect.fail(new InvalidApiKey())
          const before = revocations
          // Distrusted now means that a revocation may go unheard until the listener is back: an answer to a
          // question of that time is not remembered even if all is well again when it comes.
          const trusted = changes.isTrusted()
          // What remains of the key's time is counted from before the question, never from after it.
          const askedAt = performance.now()
          return Effect.flatMap(
            repo.findUsable(tokenHash(token)),
            Option.match({
              onNone: () => Effect.fail(new InvalidApiKey()),
              onSome: (row) => {
                const key = { id: row.id, companyId: row.company_id, scopes: row.scopes }
                if (trusted && revocations === before && changes.isTrusted()) {
                  const expiresAt = askedAt + (row.remaining_ms ?? Number.POSITIVE_INFINITY)
                  remember(hashText(token), { key, expiresAt })
                }
                return Effect.succeed(used(key))
              }
            })
          )
        })
    }
  })
}) {}
