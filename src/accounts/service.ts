import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { Config } from "../config.ts"
import { TooManyRequests } from "../limits/errors.ts"
import { failureBudget, perAddress, subscriber } from "../limits/failure-budget.ts"
import { newId } from "../secrets/identifier.ts"
import { isWellFormed, newToken, tokenHash } from "../secrets/token.ts"
import { InvalidLogin, SignupClosed, Unauthorized } from "./errors.ts"
import { type Account, normalEmail } from "./model.ts"
import { Passwords } from "./passwords.ts"
import { AccountRepo, sessionDays } from "./repo.ts"

/** Days after which a session ends even when it is used every day. */
export const sessionLifeDays = sessionDays.life

/** Sign-ins whose password is checked at the same time. */
const loginsAtOnce = 4

interface Signup {
  readonly companyName: string
  readonly email: string
  readonly password: Redacted.Redacted<string>
}

interface Login {
  readonly email: string
  readonly password: Redacted.Redacted<string>
  readonly clientAddress: string
}

/** An account and the token of the session that was just begun for it. */
export interface SignedIn {
  readonly account: Account
  readonly token: string
}

/** Companies, their users, and the sessions in which these use the dashboard (decisions, section 2). */
export class Accounts extends Effect.Service<Accounts>()("Accounts", {
  effect: Effect.gen(function* () {
    const config = yield* Config
    const repo = yield* AccountRepo
    const passwords = yield* Passwords
    // An address tries many accounts, or one account. Many addresses are no reason to refuse an account to
    // its owner: whoever has them could lock everybody out.
    const budgets = { address: perAddress(failureBudget(50, 20)), account: failureBudget(10, 5) }
    const turns = yield* Effect.makeSemaphore(loginsAtOnce)

    const newAccount = (signup: Signup): Account => ({
      user: { id: newId(), email: normalEmail(signup.email), role: "owner" },
      company: { id: newId(), name: signup.companyName }
    })

    /** A company with its owner, without a session: for the first start. */
    const register = Effect.fnUntraced(function* (signup: Signup) {
      const account = newAccount(signup)
      yield* repo.insert({ account, passwordHash: yield* passwords.hash(signup.password) })
      return account
    })

    /** Fails with `SignupClosed`, or `EmailTaken`. */
    const signup = Effect.fnUntraced(function* (request: Signup) {
      if (!config.signupOpen) return yield* new SignupClosed()
      const account = newAccount(request)
      const token = newToken("dls_")
      yield* repo.insert({ account, passwordHash: yield* passwords.hash(request.password) }, tokenHash(token))
      return { account, token } satisfies SignedIn
    })

    const checkLogin = Effect.fnUntraced(function* (email: string, password: Redacted.Redacted<string>) {
      const known = Option.getOrUndefined(yield* repo.findLogin(email))
      const matches = yield* passwords.verify(password, known?.passwordHash)
      if (known === undefined || !matches) return yield* new InvalidLogin()
      const token = newToken("dls_")
      yield* repo.insertSession(tokenHash(token), known.account.user.id)
      return { account: known.account, token } satisfies SignedIn
    })

    /**
     * Fails with `InvalidLogin`, in the same time whether the email is known or not, and with
     * `TooManyRequests` after repeated failures. A try is counted before the password is checked, so that
     * tries made at once count like tries made in turn; a success takes its count back, and so does a
     * database that fails. Only some are checked at a time, fewer than any budget: right ones that come
     * together are never refused.
     */
    const login = (request: Login): Effect.Effect<SignedIn, InvalidLogin | TooManyRequests> =>
      turns.withPermits(1)(
        Effect.suspend((): Effect.Effect<SignedIn, InvalidLogin | TooManyRequests> => {
          const email = normalEmail(request.email)
          const counted = [
            { budget: budgets.address, key: request.clientAddress },
            { budget: budgets.account, key: `${email} ${subscriber(request.clientAddress)}` }
          ]
          const wait = Math.max(...counted.map(({ budget, key }) => budget.waitSeconds(key)))
          if (wait > 0) return Effect.fail(new TooManyRequests({ retryAfterSeconds: wait }))
          for (const { budget, key } of counted) budget.spend(key)
          const refund = Effect.sync(() => {
            for (const { budget, key } of counted) budget.refund(key)
          })
          return checkLogin(email, request.password).pipe(
            Effect.tap(() => refund),
            Effect.tapDefect(() => refund)
          )
        })
      )

    /** The account behind a session's token; `Unauthorized` when there is none. */
    const authenticate = (token: string): Effect.Effect<Account, Unauthorized> =>
      isWellFormed("dls_", token)
        ? Effect.flatMap(repo.findSession(tokenHash(token)), (found) =>
            Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(new Unauthorized())
          )
        : Effect.fail(new Unauthorized())

    /** Ends a session; its token is dead when this answers. */
    const logout = (token: string): Effect.Effect<void> => repo.deleteSession(tokenHash(token))

    return { register, signup, login, authenticate, logout }
  })
}) {}
