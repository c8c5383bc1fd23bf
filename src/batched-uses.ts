import { Duration, Effect, type Scope } from "effect"

/** How long uses are collected before they are written. */
const batchDelay = Duration.millis(200)

interface Options {
  /** Writes that each id was last used this many milliseconds ago. */
  readonly write: (ids: ReadonlyArray<string>, agesMillis: ReadonlyArray<number>) => Effect.Effect<unknown>
  /** How long to wait after the database failed to write. */
  readonly retryAfter: Duration.DurationInput
  /** The log message for such a failure. */
  readonly warning: string
  /** Whether pending uses are written before the process ends, however long that takes. */
  readonly writesAtEnd: boolean
}

/**
 * Records uses in batches outside of requests, one write at a time. No request waits for a database that can read but
 * not write. A failed batch is kept and retried.
 *
 * @returns a function that records a use of this id now
 */
export const batchedUses = ({
  retryAfter,
  warning,
  write,
  writesAtEnd
}: Options): Effect.Effect<(id: string) => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    /** The time of each use on the monotonic clock. */
    const usedAt = new Map<string, number>()

    /** Writes the batch and returns how long to wait before the next one. */
    const flush = Effect.suspend((): Effect.Effect<Duration.DurationInput> => {
      if (usedAt.size === 0) return Effect.succeed(batchDelay)
      // All processes write in the same order, so two of them cannot deadlock on the same ids.
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
        Effect.as(batchDelay),
        Effect.catchAllCause((cause) => Effect.as(Effect.logWarning(warning, cause), retryAfter))
      )
    })

    if (writesAtEnd) yield* Effect.addFinalizer(() => flush)
    yield* Effect.forkScoped(Effect.forever(Effect.flatMap(flush, Effect.sleep)))
    return (id) => void usedAt.set(id, performance.now())
  })
