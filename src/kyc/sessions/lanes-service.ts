import { Cause, Effect } from "effect"
import { failsAgain } from "../../db/sql.ts"
import type { SessionKey } from "./model.ts"

interface Lane {
  readonly turn: Effect.Semaphore
  /** How many effects run or wait. */
  users: number
  /** How many effects have entered the lane. */
  entered: number
  /** The last that the database did not answer, and how many had entered the lane by then. */
  unanswered: { readonly defects: Cause.Cause<never>; readonly entered: number } | undefined
}

/**
 * Lets what locks the row of one session run one after another in this process: each would otherwise wait for the lock on a connection, and
 * one session could occupy all of them. If the database does not answer, what waits in the lane fails with it: it would wait for the same row.
 * What a browser writes has lanes of its own (`writes-repo`).
 */
export class SessionLanes extends Effect.Service<SessionLanes>()("SessionLanes", {
  sync: () => {
    const lanes = new Map<string, Lane>()
    // With the token: who holds an old link must not delay what a newer one does.
    const nameOf = ({ id, tokenHash }: SessionKey) => `${id} ${tokenHash.toHex()}`

    const enter = (name: string) => {
      const lane = lanes.get(name) ?? {
        turn: Effect.unsafeMakeSemaphore(1),
        users: 0,
        entered: 0,
        unanswered: undefined
      }
      lane.users++
      lane.entered++
      lanes.set(name, lane)
      return { lane, place: lane.entered }
    }
    const leave = (name: string, lane: Lane): void => {
      lane.users--
      if (lane.users === 0) lanes.delete(name)
    }

    /** Remembers a failure of the database that is not that of the statement. */
    const remember = (lane: Lane, cause: Cause.Cause<unknown>) =>
      Effect.sync(() => {
        const defects = Cause.keepDefects(cause)
        if (defects._tag === "None" || failsAgain(cause)) return
        lane.unanswered = { defects: defects.value, entered: lane.entered }
      })

    return {
      /** Runs it once everything before it in the session's lane has ended. It must not enter the lane itself. */
      inLane:
        (key: SessionKey) =>
        <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
          const name = nameOf(key)
          return Effect.acquireUseRelease(
            Effect.sync(() => enter(name)),
            ({ lane, place }) =>
              lane.turn.withPermits(1)(
                Effect.suspend(() =>
                  lane.unanswered !== undefined && place <= lane.unanswered.entered
                    ? Effect.failCause(lane.unanswered.defects)
                    : Effect.tapErrorCause(effect, (cause) => remember(lane, cause))
                )
              ),
            ({ lane }) => Effect.sync(() => leave(name, lane))
          )
        }
    }
  }
}) {}
