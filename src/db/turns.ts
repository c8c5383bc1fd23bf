import { Deferred, type Duration, Effect, FiberId } from "effect"

/** How long a write waits for those before it. If they take longer, they may be waiting for a lock of another process. */
const patience: Duration.DurationInput = "50 millis"

interface Writer {
  readonly turn: Deferred.Deferred<void>
  hasTurn: boolean
}

/**
 * Runs the writes of one row one after another, so that they do not wait for its lock on connections that others need. Writes of
 * different rows run at once. This is for speed alone: after 50 ms, a write no longer waits for its turn.
 */
export const turns = () => {
  const waiting = new Map<string, Array<Writer>>()

  const end = (row: string, ended: Writer): void => {
    const line = waiting.get(row) ?? []
    if (!ended.hasTurn) {
      line.splice(line.indexOf(ended), 1)
      return
    }
    const next = line.shift()
    if (next === undefined) {
      waiting.delete(row)
      return
    }
    next.hasTurn = true
    Deferred.unsafeDone(next.turn, Effect.void)
  }

  return <A, E, R>(row: string, write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const line = waiting.get(row)
        const writer = { turn: Deferred.unsafeMake<void>(FiberId.none), hasTurn: line === undefined }
        if (line === undefined) waiting.set(row, [])
        else line.push(writer)
        const first = Effect.timeoutOption(Deferred.await(writer.turn), patience)
        return Effect.ensuring(
          restore(writer.hasTurn ? write : Effect.zipRight(first, write)),
          Effect.sync(() => end(row, writer))
        )
      })
    )
}
