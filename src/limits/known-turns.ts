import { Effect } from "effect"
import { Counts } from "../counts.ts"
import type { Guesser } from "./password-guesses.ts"
import { strangersTurn, type Turn, turnOf } from "./password-turns.ts"

/** Maximum number of sign-ins of one account that wait or run as known clients. */
const mostKnown = 2

/**
 * Bounds the turns of known clients per account, over all networks. Right passwords take nothing from a
 * budget, so an account's owner could otherwise sign in from hundreds of networks at once, each before the
 * known devices of others. Beyond the bound, a sign-in waits as a stranger. (With one lane per account
 * instead, a single network with many accounts could do the same.)
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
