import { Effect } from "effect"
import { Counts } from "../counts.ts"
import type { Guesser } from "./password-guesses.ts"
import { strangersTurn, type Turn, turnOf } from "./password-turns.ts"

/** Sign-ins of one account that may wait or run as known clients; any more wait as strangers. */
const mostKnown = 2

/**
 * Bounds the turns of known clients per account, over all networks: right passwords take nothing from a
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
