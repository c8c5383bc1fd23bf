import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { type ActingUser, actingAs, type Origin, operator } from "../audit/model.ts"
import { Audit } from "../audit/service.ts"
import { Config } from "../config.ts"
import { TooManyRequests } from "../limits/errors.ts"
import { perAddress, subscriber } from "../limits/failure-budget.ts"
import { sharedBudget } from "../limits/spending.ts"
import { tries } from "../limits/tries.ts"
import { signIns } from "../observability/metrics.ts"
import { newId, parseId } from "../secrets/identifier.ts"
import { isWellFormed, newToken, tokenHash } from "../secrets/token.ts"
import { entries } from "./entries-model.ts"
import {
  DashboardSessionNotFound,
  type EmailTaken,
  InvalidLogin,
  SignupClosed,
  Unauthorized,
  WrongPassword
} from "./errors.ts"
import { LastSeen } from "./last-seen.ts"
import { type Account, type DashboardSessionInfo, normalEmail } from "./model.ts"
import { Passwords } from "./passwords.ts"
import { AccountRepo } from "./repo.ts"

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
  /** The token of the session in the browser's cookie, which a good sign-in ends. */
  readonly replaced: string | undefined
}

interface PasswordChange {
  /** The one that goes on. */
  readonly sessionId: string
  readonly currentPassword: Redacted.Redacted<string>
  readonly newPassword: Redacted.Redacted<string>
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
    const audit = yield* Audit
    const lastSeen = yield* LastSeen
    const passwords = yield* Passwords
    // An address tries many accounts, or one account. Many addresses are no reason to refuse an account to
    // its owner: whoever has them could lock everybody out.
    const budgets = {
      address: perAddress(yield* sharedBudget("sign-in address", 50, 20)),
      account: yield* sharedBudget("sign-in account", 10, 5)
    }
    const turns = yield* Effect.makeSemaphore(loginsAtOnce)
    // A classroom may sign up behind one address; who makes companies without end, or tries whose email has an account, may not.
    const signups = yield* tries("sign-up", 60, 5)

    const newAccount = (signup: Signup): Account => ({
      user: { id: newId(), email: normalEmail(signup.email), role: "owner" },
      company: { id: newId(), name: signup.companyName }
    })

    /** A company with its owner, without a session, made by the operator of that name. Fails with `EmailTaken`. */
    const register = Effect.fnUntraced(function* (operatorName: string, signup: Signup) {
      const account = newAccount(signup)
      const passwordHash = yield* passwords.hash(signup.password)
      yield* repo
        .insert({ account, passwordHash })
        .pipe(
          audit.recording(operator(account.company.id, operatorName), () => [entries.companyCreated(account)])
        )
      return account
    })

    const signUp = Effect.fnUntraced(function* (from: Origin, request: Signup) {
      const account = newAccount(request)
      const token = newToken("dls_")
      const passwordHash = yield* passwords.hash(request.password)
      const session = { tokenHash: tokenHash(token), userAgent: from.userAgent }
      const by = actingAs(account.user, account.company.id, from)
      yield* repo
        .insert({ account, passwordHash }, session)
        .pipe(audit.recording(by, () => [entries.companyCreated(account)]))
      return { account, token } satisfies SignedIn
    })

    /** Fails with `SignupClosed`, `EmailTaken`, or `TooManyRequests` after very many of one address. */
    const signup = (
      from: Origin,
      request: Signup
    ): Effect.Effect<SignedIn, SignupClosed | EmailTaken | TooManyRequests> =>
      config.signupOpen
        ? signups.limiting(from.address ?? "", signUp(from, request))
        : Effect.fail(new SignupClosed())

    const checkLogin = Effect.fnUntraced(function* (
      from: Origin,
      email: string,
      { password, replaced }: Login
    ) {
      const known = Option.getOrUndefined(yield* repo.findLogin(email))
      const matches = yield* passwords.verify(password, known?.passwordHash)
      if (known === undefined) return yield* new InvalidLogin()
      const { company, user } = known.account
      const by = actingAs(user, company.id, from)
      const refuse = Effect.zipRight(audit.note(by, entries.signInRefused(known.account)), new InvalidLogin())
      if (!matches) return yield* refuse
      const token = newToken("dls_")
      const session = {
        tokenHash: tokenHash(token),
        userAgent: from.userAgent,
        replacedHash: replaced === undefined ? undefined : tokenHash(replaced)
      }
      const begun = yield* repo
        .renewSession(session, user.id, known.passwordHash)
        .pipe(
          audit.recording(
            by,
            Option.match({ onNone: () => [], onSome: ({ ended, id }) => [entries.signedIn(by, id, ended)] })
          )
        )
      if (Option.isNone(begun)) return yield* refuse
      return { account: known.account, token } satisfies SignedIn
    })

    /**
     * A try at a password: `TooManyRequests` after repeated failures. It is counted before the password is
     * checked, so that tries made at once count like tries made in turn; a success takes its count back, and
     * so does a database that fails. Only some are checked at a time, fewer than any budget: right ones that
     * come together are never refused.
     */
    const limited = <A, E>(
      email: string,
      from: Origin,
      check: Effect.Effect<A, E>
    ): Effect.Effect<A, E | TooManyRequests> =>
      turns.withPermits(1)(
        Effect.suspend((): Effect.Effect<A, E | TooManyRequests> => {
          // Who has no address counts as one of them.
          const clientAddress = from.address ?? ""
          const counted = [
            { budget: budgets.address, key: clientAddress },
            { budget: budgets.account, key: `${email} ${subscriber(clientAddress)}` }
          ]
          const wait = Math.max(...counted.map(({ budget, key }) => budget.waitSeconds(key)))
          if (wait > 0) return Effect.fail(new TooManyRequests({ retryAfterSeconds: wait }))
          for (const { budget, key } of counted) budget.spend(key)
          const refund = Effect.sync(() => {
            for (const { budget, key } of counted) budget.refund(key)
          })
          return check.pipe(
            Effect.tap(() => refund),
            Effect.tapDefect(() => refund)
          )
        })
      )

    /**
     * Begins a session, in place of the one that the same user had in this browser. Fails with `InvalidLogin`, in the same
     * time whether the email is known or not, and with `TooManyRequests` after repeated failures.
     */
    const login = (from: Origin, request: Login): Effect.Effect<SignedIn, InvalidLogin | TooManyRequests> => {
      const email = normalEmail(request.email)
      return limited(email, from, checkLogin(from, email, request)).pipe(
        Effect.tapBoth({
          onSuccess: () => Effect.sync(() => signIns.success.add()),
          onFailure: ({ _tag }) =>
            Effect.sync(() => signIns[_tag === "InvalidLogin" ? "refused" : "limited"].add())
        })
      )
    }

    const checkChange = Effect.fnUntraced(function* (by: ActingUser, change: PasswordChange) {
      const stored = Option.getOrUndefined(yield* repo.findPasswordHash(by.id))
      if (stored === undefined || !(yield* passwords.verify(change.currentPassword, stored))) {
        return yield* new WrongPassword()
      }
      const next = yield* passwords.hash(change.newPassword)
      const changed = yield* repo
        .changePassword(by.id, change.sessionId, stored, next)
        .pipe(
          audit.recording(by, (ended) =>
            Option.isSome(ended) ? [entries.otherSessions("user.password_changed", by, ended.value)] : []
          )
        )
      // Somebody else changed it meanwhile: what was right is wrong now.
      if (Option.isNone(changed)) return yield* new WrongPassword()
    })

    /**
     * Changes the user's password and ends all their other sessions. Fails with `WrongPassword`, and with
     * `TooManyRequests` after repeated failures: whoever finds a dashboard open must not guess on it.
     */
    const changePassword = (
      by: ActingUser,
      change: PasswordChange
    ): Effect.Effect<void, WrongPassword | TooManyRequests> => limited(by.name, by, checkChange(by, change))

    /** The user's live sessions, the one used last first. */
    const sessions = (
      userId: string,
      currentId: string
    ): Effect.Effect<ReadonlyArray<DashboardSessionInfo>> => repo.listSessions(userId, currentId)

    /** False when the user has no such session. */
    const end = (
      action: "user.signed_out" | "user.session_ended",
      by: ActingUser,
      id: string
    ): Effect.Effect<boolean> =>
      repo
        .endSession(by.id, id)
        .pipe(audit.recording(by, (ended) => (ended ? [entries.session(action, by, id)] : [])))

    /** Ends a session of the user at once; `DashboardSessionNotFound` when there is none of that id. */
    const endSession = Effect.fnUntraced(function* (by: ActingUser, id: string) {
      const known = parseId(id)
      if (known === undefined || !(yield* end("user.session_ended", by, known))) {
        return yield* new DashboardSessionNotFound()
      }
    })

    /** Ends every session of the user but this one. */
    const endOtherSessions = (by: ActingUser, currentId: string): Effect.Effect<void> =>
      repo.endOtherSessions(by.id, currentId).pipe(
        audit.recording(by, (ended) =>
          ended > 0 ? [entries.otherSessions("user.other_sessions_ended", by, ended)] : []
        ),
        Effect.asVoid
      )

    /**
     * The account behind a session's token, and the session's id; `Unauthorized` when there is none. That it is used keeps it
     * alive, which is written once a minute, and nobody waits for it: a database that can only be read from lets nobody out.
     */
    const authenticate = Effect.fnUntraced(function* (token: string) {
      if (!isWellFormed("dls_", token)) return yield* new Unauthorized()
      const found = Option.getOrUndefined(yield* repo.findSession(tokenHash(token)))
      if (found === undefined) return yield* new Unauthorized()
      const { unseen, ...account } = found
      if (unseen) lastSeen.touch(account.sessionId)
      return account
    }) satisfies (token: string) => Effect.Effect<Account & { readonly sessionId: string }, Unauthorized>

    /** Ends the session by which the user came; its token is dead when this answers. */
    const logout = (by: ActingUser, sessionId: string): Effect.Effect<void> =>
      Effect.asVoid(end("user.signed_out", by, sessionId))

    return {
      register,
      signup,
      login,
      authenticate,
      logout,
      changePassword,
      sessions,
      endSession,
      endOtherSessions
    }
  })
}) {}
