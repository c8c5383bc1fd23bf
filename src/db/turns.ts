import { Effect } from "effect"

interface Writer {
  hasTurn: boolean
  /** Begins the write if it waits. */
  begin: () => void
}

/** Waits for the turn, or until the patience ends. */
const turnOf = (writer: Writer, patience: number): Effect.Effect<void> =>
  // A timer and no race of fibers, which costs a third of what a small write does.
  Effect.async((resume) => {
    const begin = () => {
      clearTimeout(timer)
      resume(Effect.void)
    }
    const timer = setTimeout(begin, patience)
    writer.begin = begin
    if (writer.hasTurn) begin()
    return Effect.sync(() => clearTimeout(timer))
  })

/**
 * Runs the writes of one row one after another, so that they do not wait for its lock on connections that others need. Writes of
 * different rows run at once. This is for speed alone: a write that waits too long begins without its turn.
 *
 * @param patience how long a write waits (ms). If those before it take longer, they may be waiting for a lock of another process.
 */
export const turns = (patience = 50) => {
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
    next.begin()
  }

  return <A, E, R>(row: string, write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) => {
      const line = waiting.get(row)
      const writer: Writer = { hasTurn: line === undefined, begin: () => {} }
      if (line === undefined) waiting.set(row, [])
      else line.push(writer)
      return Effect.matchCauseEffect(
        restore(writer.hasTurn ? write : Effect.zipRight(turnOf(writer, patience), write)),
        {
          onFailure: (cause) => {
            end(row, writer)
            return Effect.failCause(cause)
          },
          onSuccess: (written) => {
            end(row, writer)
            return Effect.succeed(written)
          }
        }
      )
    })
}
