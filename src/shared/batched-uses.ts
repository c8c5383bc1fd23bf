import { Effect, type Scope } from "effect"
import { type BackgroundName, backgroundAtPace } from "./background.ts"
import type { PauseName } from "./times.ts"
import { Timing } from "./timing.ts"

interface Options {
  readonly job: BackgroundName
  /** Records that each id was last used this many milliseconds ago. */
  readonly write: (ids: ReadonlyArray<string>, agesMillis: ReadonlyArray<number>) => Effect.Effect<unknown>
  readonly retryAfter: PauseName
  readonly warning: string
  /** Whether the process writes pending uses before it ends, however long that takes. */
  readonly writesAtEnd: boolean
}

/**
 * Records uses in batches, one write at a time, so that no request waits for a database that can read but not
 * write. Retries a failed batch. The returned function records a use of this id now.
 */
export const batchedUses = ({
  job,
  retryAfter,
  warning,
  write,
  writesAtEnd
}: Options): Effect.Effect<(id: string) => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { pause } = yield* Timing
    /** Monotonic times. */
    const usedAt = new Map<string, number>()

    /** Returns how long to wait before the next batch, if that is not as usual. */
    const flush = Effect.suspend((): Effect.Effect<number | undefined> => {
      if (usedAt.size === 0) return Effect.succeed(undefined)
      // In the same order in all processes, so two of them cannot deadlock on the same ids.
      const batch = [...usedAt].sort(([left], [right]) => (left < right ? -1 : 1))
      usedAt.clear()
      const now = performance.now()
      const ids = batch.map(([id]) => id)
      const ages = batch.map(([, at]) => now - at)
      return write(ids, ages).pipe(
        // Also after an interruption, so that the last write includes the batch.
        Effect.onError(() =>
          Effect.sync(() => {
            for (const [id, at] of batch) if (!usedAt.has(id)) usedAt.set(id, at)
          })
        ),
        Effect.as(undefined),
        Effect.catchAllCause((cause) => Effect.as(Effect.logWarning(warning, cause), pause(retryAfter)))
      )
    })

    if (writesAtEnd) yield* Effect.addFinalizer(() => flush)
    yield* backgroundAtPace(job, flush)
    return (id) => void usedAt.set(id, performance.now())
  })
