import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { AccountRepo } from "./repo.ts"

/** How long uses are collected before they are written together. */
const batchDelay = Duration.millis(200)

/** How long a database that could not write is let alone. Sessions live for days after their last use. */
const failureDelay = Duration.minutes(1)

/**
 * Records that dashboard sessions are used, which keeps them alive: off the request's path, one write at a time, so that no request
 * waits for a database that answers questions and does not write. A write that fails is logged, and tried again after a
 * minute. A process that ends loses those of its last moment; the next use of the session is recorded in their place.
 */
export class LastSeen extends Effect.Service<LastSeen>()("LastSeen", {
  scoped: Effect.gen(function* () {
    const repo = yield* AccountRepo
    const pending = new Set<string>()

    /** How long to wait then. */
    const write = Effect.suspend(() => {
      if (pending.size === 0) return Effect.succeed(batchDelay)
      const ids = [...pending]
      pending.clear()
      return repo.markSeen(ids).pipe(
        Effect.as(batchDelay),
        Effect.catchAllCause((cause) => {
          for (const id of ids) pending.add(id)
          return Effect.as(
            Effect.logWarning(
              "It could not be written that dashboard sessions are used; trying again in a minute",
              cause
            ),
            failureDelay
          )
        })
      )
    })
    yield* Effect.forkScoped(Effect.forever(Effect.flatMap(write, Effect.sleep)))

    return {
      touch: (sessionId: string): void => {
        pending.add(sessionId)
      }
    }
  })
}) {}
