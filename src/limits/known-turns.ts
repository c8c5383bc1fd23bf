import { Effect } from "effect"
import { Counts } from "../counts.ts"
import type { Guesser } from "./password-guesses.ts"
import { strangersTurn, type Turn, turnOf } from "./password-turns.ts"

/** Maximum number of sign-ins of one account that may wait or run as known clients. */
const mostKnown = 2

/**
 * Bounds how many turns of known clients one account has at a time, over all networks. Right passwords take nothing from a budget, so
 * otherwise an account's owner could sign in from hundreds of networks at once, each with its turn before the known devices of other
 * accounts. A sign-in beyond the bound is not refused: it waits as a stranger. (One lane per account instead of one per network would let a
 * single network with many accounts do the same.)
 */
export const knownTurns = () => {
  const known = new Counts()
  return {
    /** Runs `use` with the turn in which the guesser waits. */
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
