import { Effect } from "effect"
import { LRUCache } from "lru-cache"
import { batchedUses } from "../batched-uses.ts"
import { ApiKeyRepo } from "./repo.ts"

/** Milliseconds between two writes for one key. */
const leastDistance = 60_000

/** Keys with a remembered write. A write for another key may come too early, and then changes nothing. */
const capacity = 20_000

/** Records when keys were used. A crash loses a minute at most. */
export class LastUsed extends Effect.Service<LastUsed>()("LastUsed", {
  scoped: Effect.gen(function* () {
    const { markUsed } = yield* ApiKeyRepo
    const use = yield* batchedUses({
      write: markUsed,
      retryAfter: "2 seconds",
      warning: "Could not record when API keys were used; trying again",
      writesAtEnd: true
    })
    const recent = new LRUCache<string, number>({ max: capacity })

    return {
      touch: (id: string): void => {
        const now = performance.now()
        const last = recent.get(id)
        if (last !== undefined && now - last < leastDistance) return
        recent.set(id, now)
        use(id)
      }
    }
  })
}) {}
