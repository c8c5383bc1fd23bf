import * as Effect from "effect/Effect"
import { CurrentRequest } from "../http/request-info.ts"
import { TooManyRequests } from "./errors.ts"

/** Seconds after which who found the queue full may come again. */
const comeAgainAfter = 1

/** Where somebody waits. */
export interface Turn {
  /** Whether the service knows who it is. Those it knows and strangers have every other turn, and places of their own. */
  readonly known: boolean
  /** Networks have their turns one after the other. */
  readonly network: string
  /** The lanes of a network have the network's turns one after the other. */
  readonly lane: string
  /** Whether the bounds of a network and of a lane apply. */
  readonly bounded: boolean
}

/** How many works wait at most, of those known and of strangers each. */
export interface Places {
  readonly most: number
  readonly perNetwork: number
  readonly perLane: number
}

/** Work that waits for its turn. */
export interface FairQueue {
  /**
   * `work`, when its turn comes; `TooManyRequests`, without it, when there is no place to wait. A client that goes away leaves its
   * place, as if it had been refused.
   */
  readonly inTurn: <A, E, R>(
    turn: Turn,
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | TooManyRequests, R>
}

interface Waiting {
  readonly turn: Turn
  readonly start: () => void
  readonly refuse: () => void
}

type Lane = Set<Waiting>

interface Network {
  waiting: number
  readonly lanes: Map<string, Lane>
}

/** The places of those known, or of strangers. No lane and no network is empty, and the one whose turn is next comes first. */
const placesOf = ({ most, perLane, perNetwork }: Places, random: () => number) => {
  const networks = new Map<string, Network>()
  let waiting = 0

  const remove = (one: Waiting): void => {
    const network = networks.get(one.turn.network)
    const lane = network?.lanes.get(one.turn.lane)
    if (network === undefined || lane?.delete(one) !== true) return
    if (lane.size === 0) network.lanes.delete(one.turn.lane)
    network.waiting--
    if (network.waiting === 0) networks.delete(one.turn.network)
    waiting--
  }

  const refuse = (one: Waiting): void => {
    remove(one)
    one.refuse()
  }

  /** One of the largest, by chance: nobody can arrange to be spared, or to have somebody else refused. */
  const oneOfLargest = <A>(all: Iterable<A>, size: (one: A) => number): A | undefined => {
    let largest: Array<A> = []
    let most = 0
    for (const one of all) {
      if (size(one) > most) {
        most = size(one)
        largest = []
      }
      if (size(one) === most) largest.push(one)
    }
    return largest[Math.floor(random() * largest.length)]
  }

  const refuseNewest = (lane: Lane | undefined): void => {
    const newest = [...(lane ?? [])].at(-1)
    if (newest !== undefined) refuse(newest)
  }
  const refuseOneOf = (network: Network | undefined): void =>
    refuseNewest(oneOfLargest(network?.lanes.values() ?? [], ({ size }) => size))

  return {
    /**
     * Where a bound is passed, only whoever it is a bound of loses a place: the newest of the lane; of the network, or of the one that
     * takes most places, the newest of a longest lane.
     */
    add: (one: Waiting): void => {
      const { turn } = one
      const network = networks.get(turn.network) ?? { waiting: 0, lanes: new Map<string, Lane>() }
      const lane = network.lanes.get(turn.lane) ?? new Set()
      networks.set(turn.network, network)
      network.lanes.set(turn.lane, lane)
      lane.add(one)
      network.waiting++
      waiting++
      if (turn.bounded && lane.size > perLane) refuseNewest(lane)
      else if (turn.bounded && network.waiting > perNetwork) refuseOneOf(network)
      else if (waiting > most) refuseOneOf(oneOfLargest(networks.values(), (other) => other.waiting))
    },

    /** Takes the one whose turn it is, and puts its lane and its network behind the others; undefined when nobody waits. */
    next: (): Waiting | undefined => {
      for (const [name, network] of networks) {
        for (const [laneName, lane] of network.lanes) {
          for (const first of lane) {
            networks.delete(name)
            networks.set(name, network)
            network.lanes.delete(laneName)
            network.lanes.set(laneName, lane)
            remove(first)
            return first
          }
        }
      }
      return undefined
    },

    refuse
  }
}

/**
 * A queue in which nobody waits for all that others have put into it: each network has its turn after each other network, and in it each
 * lane after each other lane.
 *
 * @param atOnce works under way, at most
 * @param random a number from 0 up to 1, by which it is decided who of equals is refused
 */
export const fairQueue = (atOnce: number, places: Places, random: () => number = Math.random): FairQueue => {
  const [known, strangers] = [placesOf(places, random), placesOf(places, random)]
  let free = atOnce
  let isTurnOfKnown = true

  const startNext = () => {
    const [first, second] = isTurnOfKnown ? [known, strangers] : [strangers, known]
    isTurnOfKnown = !isTurnOfKnown
    const next = first.next() ?? second.next()
    if (next === undefined) free++
    else next.start()
  }

  const waitFor = (turn: Turn, gone: AbortSignal | undefined): Effect.Effect<void, TooManyRequests> =>
    Effect.async((resume) => {
      const refusal = new TooManyRequests({ retryAfterSeconds: comeAgainAfter })
      if (gone?.aborted === true) {
        resume(refusal)
        return
      }
      if (free > 0) {
        free--
        resume(Effect.void)
        return
      }
      const group = turn.known ? known : strangers
      const leave = () => group.refuse(one)
      const leaving = (answer: Effect.Effect<void, TooManyRequests>) => () => {
        gone?.removeEventListener("abort", leave)
        resume(answer)
      }
      const one: Waiting = { turn, start: leaving(Effect.void), refuse: leaving(refusal) }
      gone?.addEventListener("abort", leave, { once: true })
      group.add(one)
    })

  return {
    inTurn: (turn, work) =>
      Effect.acquireUseRelease(
        Effect.flatMap(CurrentRequest, ({ gone }) => waitFor(turn, gone())),
        () => work,
        () => Effect.sync(startNext)
      )
  }
}
