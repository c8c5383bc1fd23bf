import { Effect } from "effect"
import { Counts } from "../shared/counts.ts"
import { isLoopback } from "../shared/ip-address.ts"
import { TooManyRequests } from "./errors.ts"
import { clientPrefix, networkPrefix } from "./failure-budget.ts"
import { FairQueue, type Lane, NoTurn } from "./fair-queue.ts"
import type { Guesser } from "./password-guesses.ts"

/** Maximum number of sign-ins that wait for a query or a hash, for known clients and for strangers each. */
export interface Places {
  readonly most: number
  readonly perNetwork: number
  readonly perLane: number
}

export const waitingPlaces: Places = { most: 4_096, perNetwork: 512, perLane: 256 }

/** Seconds after which a client without a turn may retry. */
const comeAgainAfter = 1

export interface Turn {
  /** Known clients and strangers alternate, and have separate places. */
  readonly known: boolean
  readonly network: string
  readonly lane: string
  /** Whether the bounds of networks and lanes apply. */
  readonly bounded: boolean
}

/** For a client that has no account yet, or may not own it: the lane of its address. */
export const strangersTurn = (address: string): Turn => ({
  known: false,
  network: networkPrefix(address),
  lane: clientPrefix(address),
  // Behind an undeclared proxy on this machine, all clients have one address.
  bounded: !isLoopback(address)
})

/** A known client waits in the lane of its account. */
export const turnOf = ({ account, address, as }: Guesser): Turn => {
  const stranger = strangersTurn(address)
  return as === "stranger" ? stranger : { ...stranger, known: true, lane: account }
}

/** Outermost first. */
export const lanesOf = (
  { bounded, known, lane, network: ofNetwork }: Turn,
  { most, perLane, perNetwork }: Places = waitingPlaces
): ReadonlyArray<Lane> => [
  { name: known ? "known" : "strangers", waiting: most },
  { name: ofNetwork, ...(bounded ? { waiting: perNetwork } : {}) },
  { name: lane, ...(bounded ? { waiting: perLane } : {}) }
]

/** A queue for the costly steps of sign-in and sign-up. @param atOnce maximum number of running tasks */
export const passwordTurns = (atOnce: number) => {
  const queue = new FairQueue({ atOnce })
  const refusal = new TooManyRequests({ retryAfterSeconds: comeAgainAfter })
  return {
    /** Fails with `TooManyRequests` if `work` gets no turn. */
    inTurn: <A, E, R>(turn: Turn, work: Effect.Effect<A, E, R>) =>
      Effect.mapError(queue.inTurn(lanesOf(turn), work), (error) =>
        error instanceof NoTurn ? refusal : error
      )
  }
}

/** Sign-ins of one account that may wait or run as known clients; any more wait as strangers. */
const mostKnown = 2

/**
 * Bounds the turns of known clients per account, across all networks: right passwords take nothing from a
 * budget, so one account could otherwise sign in from hundreds of networks, each before the known devices of
 * others. With one lane per account instead, one network with many accounts could do the same.
 */
export const knownTurns = () => {
  const known = new Counts()
  return {
    withTurn: <A, E, R>(guesser: Guesser, use: (turn: Turn) => Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const turn = turnOf(guesser)
          if (!turn.known) return turn
          if (known.of(guesser.account) >= mostKnown) return strangersTurn(guesser.address)
          known.add(guesser.account, 1)
          return turn
        }),
        use,
        (turn) => Effect.sync(() => (turn.known ? known.add(guesser.account, -1) : undefined))
      )
  }
}
