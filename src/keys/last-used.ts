import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { ApiKeyRepo } from "./repo.ts"

/** How long uses are collected before they are written together. */
const batchDelay = Duration.millis(200)

/** How long a database that could not write is let alone. */
const failureDelay = Duration.seconds(2)

/** Milliseconds between two writes of one key. */
const leastDistance = 60_000

/**
 * Records when keys were used, in batches and off the request's path. A write that fails is kept and tried
 * again a little later; what is pending is written before the process ends. A crash loses a minute at most.
 */
export class LastUsed extends Effect.Service<LastUsed>()("LastUsed", {
  scoped: Effect.gen(function* () {
    const repo = yield* ApiKeyRepo
    const pending = new Map<string, number>()
    const recent = new Map<string, number>()

    /** How long to wait then. */
    const flush = Effect.suspend(() => {
      if (pending.size === 0) return Effect.succeed(batchDelay)
      // In one order everywhere: two processes that write the same keys then wait for one another, and not both.
      const batch = [...pending].sort(([left], [right]) => (left < right ? -1 : 1))
      pending.clear()
      const now = performance.now()
      return repo
        .markUsed(
          batch.map(([id]) => id),
          batch.map(([, at]) => now - at)
        )
        .pipe(
          // Also when the process ends while it waits: the finalizer below then writes it.
          Effect.onError(() =>
            Effect.sync(() => {
              for (const [id, at] of batch) if (!pending.has(id)) pending.set(id, at)
            })
          ),
          Effect.as(batchDelay),
          Effect.catchAllCause((cause) =>
            Effect.as(
              Effect.logWarning("Could not record when API keys were used; trying again", cause),
              failureDelay
            )
          )
        )
    })
    const forgetOld = Effect.sync(() => {
      const limit = performance.now() - leastDistance
      for (const [id, at] of recent) if (at < limit) recent.delete(id)
    })

    yield* Effect.addFinalizer(() => flush)
    yield* Effect.forkScoped(Effect.forever(Effect.flatMap(flush, Effect.sleep)))
    yield* Effect.forkScoped(Effect.forever(Effect.delay(forgetOld, Duration.millis(leastDistance))))

    return {
      touch: (id: string): void => {
        const now = performance.now()
        const last = recent.get(id)
        if (last !== undefined && now - last < leastDistance) return
        recent.set(id, now)
        pending.set(id, now)
      }
    }
  })
}) {}
