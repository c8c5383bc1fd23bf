import { Effect } from "effect"
import type { TooManyRequests } from "../limits/errors.ts"
import { type Guesser, passwordGuesses } from "../limits/password-guesses.ts"
import { knownTurns, passwordTurns } from "../limits/password-turns.ts"
import { sha256Text } from "../secrets/digest.ts"
import { isEmail } from "../shared/email.ts"
import { type Hashing, Passwords } from "./passwords.ts"
import { AccountRepo } from "./repo.ts"

/** So that sign-ins do not starve signed-in users of database connections. */
const lookUpsAtOnce = 4

/** The key that counts attempts, without the email address. Malformed addresses share one key. */
export const countedAs = (email: string): string => (isEmail(email) ? sha256Text(email) : "no email")

/** Password checks and account lookups, within the budgets and in turns. */
export const passwordAttempts = Effect.gen(function* () {
  const repo = yield* AccountRepo
  const passwords = yield* Passwords
  const guesses = yield* passwordGuesses
  const lookUps = passwordTurns(lookUpsAtOnce)
  const { withTurn } = knownTurns()

  /**
   * Fails with `TooManyRequests` after repeated failures, before it waits for a turn. Fewer checks run at a
   * time than a network may get wrong in a row, so concurrent right passwords are not refused.
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

  /** A client over its budget is refused without a query, even if many of its requests arrive at once. */
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
