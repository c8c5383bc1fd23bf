import * as Effect from "effect/Effect"
import type { Turn } from "./fair-queue.ts"
import { type Guesser, strangersTurn, turnOf } from "./password-guesses.ts"

/** Of an account, how many wait or are under way at a time as known clients. */
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
 * Turns in which nobody waits for an account that signs in much, whoever has its password and as many networks as there are. Right
 * passwords use no budget up. So only so many of an account at a time have the turns of known clients, over all networks; further ones
 * have those of strangers, and none is refused for that. A queue that has a turn for each account instead would let one network with many
 * accounts keep the others waiting.
 */
export const knownTurns = (): KnownTurns => {
  const known = new Map<string, number>()
  const change = (account: string, by: 1 | -1) => {
    const count = (known.get(account) ?? 0) + by
    if (count === 0) known.delete(account)
    else known.set(account, count)
  }
  return {
    withTurn: (guesser, use) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const turn = turnOf(guesser)
          if (!turn.known) return turn
          if ((known.get(guesser.account) ?? 0) >= mostKnown) return strangersTurn(guesser.address)
          change(guesser.account, 1)
          return turn
        }),
        use,
        ({ known: isKnown }) => Effect.sync(() => (isKnown ? change(guesser.account, -1) : undefined))
      )
  }
}
