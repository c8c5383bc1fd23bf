import * as Effect from "effect/Effect"
import { TooManyRequests } from "./errors.ts"

/** Seconds after which who found the queue full may come again. */
const comeAgainAfter = 1

/** Who waits for a turn. */
export interface Turn {
  /** Whether the service knows who it is. Those it knows and strangers have every other turn, and places of their own. */
  readonly known: boolean
  /** Those of one lane wait behind each other, not in front of other lanes. */
  readonly lane: string
  /** Whose places are counted together; undefined where they are not counted. */
  readonly address: string | undefined
}

/** Work that waits for its turn. */
export interface FairQueue {
  /**
   * `work`, when its turn comes; `TooManyRequests`, without it, when there is no place to wait. Waiting is not interrupted: nobody
   * interrupts requests.
   */
  readonly inTurn: <A, E, R>(
    turn: Turn,
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | TooManyRequests, R>
}

interface Waiting {
  readonly start: () => void
  readonly refuse: () => void
}

/** Lanes that have their turns one after the other. None is empty, and the one whose turn is next comes first. */
const laneGroup = (most: number) => {
  const lanes = new Map<string, Array<Waiting>>()
  let waiting = 0

  const longest = () => {
    let found: Array<Waiting> = []
    for (const lane of lanes.values()) if (lane.length > found.length) found = lane
    return found
  }

  return {
    /** Where there is no place left, the longest lane loses its newest, unless the lane of who comes would be as long. */
    add: (name: string, newest: Waiting): void => {
      const lane = lanes.get(name) ?? []
      if (waiting >= most) {
        const other = longest()
        if (other.length <= lane.length + 1) {
          newest.refuse()
          return
        }
        other.pop()?.refuse()
        waiting--
      }
      lane.push(newest)
      lanes.set(name, lane)
      waiting++
    },
    /** Takes the first of the lane whose turn it is, and puts that lane behind the others; undefined when nobody waits. */
    next: (): Waiting | undefined => {
      for (const [name, lane] of lanes) {
        const first = lane.shift()
        lanes.delete(name)
        if (lane.length > 0) lanes.set(name, lane)
        waiting--
        return first
      }
      return undefined
    }
  }
}

/**
 * A queue in which nobody waits for all that others have put into it: each lane has its turn after each other lane.
 *
 * @param atOnce works under way, at most
 * @param most works that wait, at most, of those known and of strangers each
 * @param perAddress works that wait of one address, at most
 */
export const fairQueue = (atOnce: number, most: number, perAddress: number): FairQueue => {
  const [known, strangers] = [laneGroup(most), laneGroup(most)]
  const places = new Map<string, number>()
  let free = atOnce
  let isTurnOfKnown = true

  const startNext = () => {
    const [first, second] = isTurnOfKnown ? [known, strangers] : [strangers, known]
    isTurnOfKnown = !isTurnOfKnown
    const next = first.next() ?? second.next()
    if (next === undefined) free++
    else next.start()
  }

  const takePlace = (address: string | undefined): boolean => {
    if (address === undefined) return true
    const taken = places.get(address) ?? 0
    if (taken < perAddress) places.set(address, taken + 1)
    return taken < perAddress
  }
  const leavePlace = (address: string | undefined) => {
    if (address === undefined) return
    const left = (places.get(address) ?? 0) - 1
    if (left > 0) places.set(address, left)
    else places.delete(address)
  }

  const waitFor = (turn: Turn): Effect.Effect<void, TooManyRequests> =>
    Effect.async((resume) => {
      const refuse = () => resume(new TooManyRequests({ retryAfterSeconds: comeAgainAfter }))
      if (free > 0) {
        free--
        resume(Effect.void)
      } else if (takePlace(turn.address)) {
        const leaving = (then: () => void) => () => {
          leavePlace(turn.address)
          then()
        }
        const group = turn.known ? known : strangers
        group.add(turn.lane, { start: leaving(() => resume(Effect.void)), refuse: leaving(refuse) })
      } else refuse()
    })

  return {
    inTurn: (turn, work) =>
      Effect.acquireUseRelease(
        waitFor(turn),
        () => work,
        () => Effect.sync(startNext)
      )
  }
}
