/** How passwords are tried: within their budgets, and in turn. */
import * as Effect from "effect/Effect"
import type { TooManyRequests } from "../limits/errors.ts"
import { knownTurns } from "../limits/known-turns.ts"
import { type Guesser, passwordGuesses } from "../limits/password-guesses.ts"
import { passwordTurns } from "../limits/password-turns.ts"
import { sha256Text } from "../secrets/digest.ts"
import { isEmail } from "../shared/email.ts"
import { type Hashing, Passwords } from "./passwords.ts"
import { AccountRepo } from "./repo.ts"

/** Queries at a time for the accounts of those who sign in: they must not keep the database from whoever is signed in. */
const lookUpsAtOnce = 4

/** The key under which attempts at an account are counted. No email is kept in clear, and whatever is none is counted together. */
export const countedAs = (email: string): string => (isEmail(email) ? sha256Text(email) : "no email")

export const passwordAttempts = Effect.gen(function* () {
  const repo = yield* AccountRepo
  const passwords = yield* Passwords
  const guesses = yield* passwordGuesses
  const lookUps = passwordTurns(lookUpsAtOnce)
  const { withTurn } = knownTurns()

  /**
   * An attempt at a password: `TooManyRequests` after repeated failures. Whoever may not try is refused before waiting for a turn. Fewer
   * are checked at a time than an address may get wrong in a row, so that right ones that come together are not refused.
   */
  const limited = <A, E>(
    guesser: Guesser,
    check: (hashing: Hashing) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | TooManyRequests> =>
    Effect.zipRight(
      guesses.ask(guesser),
      withTurn(guesser, (turn) =>
        passwords.inTurn(turn, (hashing) => guesses.limiting(guesser, check(hashing)))
      )
    )

  /** The account of an email. Whoever may not try is refused without a query, though they come many at once. */
  const lookUp = (guesser: Guesser, email: string) => {
    const asked = guesses.ask(guesser)
    const query = Effect.zipRight(asked, repo.findLogin(email))
    return Effect.zipRight(
      asked,
      withTurn(guesser, (turn) => lookUps.inTurn(turn, query))
    )
  }

  return { limited, lookUp }
})
