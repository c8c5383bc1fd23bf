import * as Effect from "effect/Effect"
import { Counts } from "../counts.ts"
import type { Guesser } from "./password-guesses.ts"
import { strangersTurn, type Turn, turnOf } from "./password-turns.ts"

/** Sign-ins of one account that wait, or are under way, as known clients at a time. */
const mostKnown = 2

/** Gives guessers their turns. */
export interface KnownTurns {
  /** `use`, with the turn in which the guesser is to wait. */
  readonly withTurn: <A, E, R>(
    guesser: Guesser,
    use: (turn: Turn) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
}

/**
 * Bounds how many turns of known clients one account has at a time, over all networks. Right passwords use up no budget, so the owner of
 * an account could else sign in from hundreds of networks at once, and each of these has its turn before the known devices of others. A
 * sign-in beyond the bound is not refused: it has the turn of a stranger. (Turns by account in place of turns by network would let one
 * network with many accounts do the same.)
 */
export const knownTurns = (): KnownTurns => {
  const known = new Counts()
  return {
    withTurn: (guesser, use) =>
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
