import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** How long uses are collected before they are written together. */
const batchDelay = Duration.millis(200)

interface Options {
  /** Writes that each of these was used so many milliseconds ago. */
  readonly write: (ids: ReadonlyArray<string>, agesMillis: ReadonlyArray<number>) => Effect.Effect<unknown>
  /** How long a database that could not write is left alone. */
  readonly retryAfter: Duration.DurationInput
  /** What is logged then. */
  readonly warning: string
  /** Whether pending uses are written before the process ends, however long that takes. */
  readonly writesAtEnd: boolean
}

/**
 * Records when things are used: in batches, off the request's path, and one write at a time, so that no request waits for a database
 * that can be read but not written. A batch that could not be written is kept and tried again.
 *
 * @returns records that the thing with this id is used now
 */
export const batchedUses = ({
  retryAfter,
  warning,
  write,
  writesAtEnd
}: Options): Effect.Effect<(id: string) => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    /** On the monotonic clock. */
    const usedAt = new Map<string, number>()

    /** Answers how long to wait before the next time. */
    const flush = Effect.suspend((): Effect.Effect<Duration.DurationInput> => {
      if (usedAt.size === 0) return Effect.succeed(batchDelay)
      // In one order everywhere: of two processes that write the same ids one waits for the other, never both.
      const batch = [...usedAt].sort(([left], [right]) => (left < right ? -1 : 1))
      usedAt.clear()
      const now = performance.now()
      const ids = batch.map(([id]) => id)
      const ages = batch.map(([, at]) => now - at)
      return write(ids, ages).pipe(
        // Also when it is interrupted, for the last write.
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
