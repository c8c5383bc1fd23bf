import * as Effect from "effect/Effect"
import { isLoopback } from "../shared/ip-address.ts"
import { TooManyRequests } from "./errors.ts"
import { network, subscriber } from "./failure-budget.ts"
import { FairQueue, type Lane, NoTurn } from "./fair-queue.ts"
import type { Guesser } from "./password-guesses.ts"

/** Sign-ins that wait for a query or a hash, at most, of known clients and of strangers each. */
export interface Places {
  readonly most: number
  readonly perNetwork: number
  readonly perLane: number
}

export const waitingPlaces: Places = { most: 4_096, perNetwork: 512, perLane: 256 }

/** Seconds after which whoever had no turn may come again. */
const comeAgainAfter = 1

/** Where a client waits. */
export interface Turn {
  /** Whether the service knows the client. Known clients and strangers have every other turn, and places of their own. */
  readonly known: boolean
  readonly network: string
  /** The lane within the network. */
  readonly lane: string
  /** Whether the bounds of a network and of a lane apply. */
  readonly bounded: boolean
}

/** The turn of somebody who has no account yet, or may not be its owner: in the lane of their address. */
export const strangersTurn = (address: string): Turn => ({
  known: false,
  network: network(address),
  lane: subscriber(address),
  // Behind a proxy on this machine that nobody has named, all clients have one address.
  bounded: !isLoopback(address)
})

/** The turn of a guesser. Whoever is known is in the account's lane. */
export const turnOf = ({ account, address, as }: Guesser): Turn => {
  const stranger = strangersTurn(address)
  return as === "stranger" ? stranger : { ...stranger, known: true, lane: account }
}

/** The lanes of a turn, the outermost first. */
export const lanesOf = (
  { bounded, known, lane, network: ofNetwork }: Turn,
  { most, perLane, perNetwork }: Places = waitingPlaces
): ReadonlyArray<Lane> => [
  { name: known ? "known" : "strangers", waiting: most },
  { name: ofNetwork, ...(bounded ? { waiting: perNetwork } : {}) },
  { name: lane, ...(bounded ? { waiting: perLane } : {}) }
]

/** What is done in turns for clients that sign in or sign up. */
export interface PasswordTurns {
  /** `work`, when its turn comes; `TooManyRequests`, without it, when there is none. */
  readonly inTurn: <A, E, R>(
    turn: Turn,
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | TooManyRequests, R>
}

/** A queue for it. @param atOnce works under way, at most */
export const passwordTurns = (atOnce: number): PasswordTurns => {
  const queue = new FairQueue({ atOnce })
  const refusal = new TooManyRequests({ retryAfterSeconds: comeAgainAfter })
  return {
    inTurn: <A, E, R>(turn: Turn, work: Effect.Effect<A, E, R>) =>
      Effect.mapError(queue.inTurn(lanesOf(turn), work), (error) =>
        error instanceof NoTurn ? refusal : error
      )
  }
}
