import * as Effect from "effect/Effect"
import { TooManyRequests } from "./errors.ts"

/** Seconds after which who found the queue full may come again. */
const comeAgainAfter = 1

/** Work that takes its turn. */
export interface FairQueue {
  /**
   * `work`, when it is the turn of its lane; `TooManyRequests`, at once, when too much waits in the lane or in all. Waiting is not
   * interrupted: nobody interrupts requests.
   */
  readonly inTurn: <A, E, R>(
    lane: string,
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | TooManyRequests, R>
}

/**
 * A queue in which each lane has its turn after each other lane, however much waits in one of them.
 *
 * @param atOnce works under way, at most
 * @param perLane works of one lane that wait, at most
 * @param inAll works that wait, at most
 */
export const fairQueue = (atOnce: number, perLane: number, inAll: number): FairQueue => {
  /** Who waits, by lane; the lane whose turn is next comes first. No lane is empty. */
  const lanes = new Map<string, ReadonlyArray<() => void>>()
  let free = atOnce
  let waiting = 0

  /** Starts the first of the lane whose turn it is, and puts the lane behind the others; with nobody waiting a place is free. */
  const next = () => {
    for (const [lane, [start = () => {}, ...rest]] of lanes) {
      lanes.delete(lane)
      if (rest.length > 0) lanes.set(lane, rest)
      waiting--
      start()
      return
    }
    free++
  }

  const place = (lane: string): Effect.Effect<void, TooManyRequests> =>
    Effect.async((resume) => {
      if (free > 0) {
        free--
        resume(Effect.void)
        return
      }
      const inLane = lanes.get(lane) ?? []
      if (waiting >= inAll || inLane.length >= perLane) {
        resume(Effect.fail(new TooManyRequests({ retryAfterSeconds: comeAgainAfter })))
        return
      }
      lanes.set(lane, [...inLane, () => resume(Effect.void)])
      waiting++
    })

  return {
    inTurn: (lane, work) =>
      Effect.acquireUseRelease(
        place(lane),
        () => work,
        () => Effect.sync(next)
      )
  }
}
