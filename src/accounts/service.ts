import { Effect, Option } from "effect"
import { type ActingUser, actingAs, type Origin, operator } from "../audit/model.ts"
import { Audit } from "../audit/service.ts"
import { Config } from "../config.ts"
import { attemptLimit } from "../limits/attempts.ts"
import type { TooManyRequests } from "../limits/errors.ts"
import type { Guesser } from "../limits/password-guesses.ts"
import { strangersTurn } from "../limits/password-turns.ts"
import { signIns } from "../observability/metrics.ts"
import { isWellFormed, newToken, tokenHash } from "../secrets/token.ts"
import { batchedUses } from "../shared/batched-uses.ts"
import { normalEmail } from "../shared/email.ts"
import { foundOr, idOr } from "../shared/found.ts"
import { newId } from "../shared/identifier.ts"
import { Devices } from "./devices.ts"
import { entries } from "./entries-model.ts"
import {
  DashboardSessionNotFound,
  type EmailTaken,
  InvalidLogin,
  SignupClosed,
  Unauthorized,
  WrongPassword
} from "./errors.ts"
import type { Account, Login, NewUser, PasswordChange, SignedIn, Signup } from "./model.ts"
import { countedAs, passwordAttempts } from "./password-attempts.ts"
import { Passwords } from "./passwords.ts"
import { AccountRepo } from "./repo.ts"

/** Companies, their users, and their dashboard sessions (contract.md#dashboard-users). */
export class Accounts extends Effect.Service<Accounts>()("Accounts", {
  scoped: Effect.gen(function* () {
    const config = yield* Config
    const repo = yield* AccountRepo
    const audit = yield* Audit
    const passwords = yield* Passwords
    const devices = yield* Devices
    const { limited, lookUp } = yield* passwordAttempts
    // Enough for a classroom behind one address, too few to test which emails have an account.
    const signups = yield* attemptLimit("sign-up", 60, 5, { burst: 240, perMinute: 20 })

    const newAccount = (signup: NewUser): Account => ({
      user: { id: newId(), email: normalEmail(signup.email), role: "owner" },
      company: { id: newId(), name: signup.companyName }
    })

    /** A session lives for days after its last use, so a process may lose the last uses when it ends. */
    const recordUse = yield* batchedUses({
      job: "accounts.uses",
      write: repo.markSeen,
      retryAfter: "accounts.uses_retry",
      warning: "Could not record that dashboard sessions were used; trying again in a minute",
      writesAtEnd: false
    })

    /** Creates a company with its owner, for the named operator. Fails with `EmailTaken`. */
    const register = Effect.fnUntraced(function* (operatorName: string, signup: NewUser) {
      const account = newAccount(signup)
      const passwordHash = yield* passwords.hash(signup.password)
      yield* repo
        .insert(account, passwordHash)
        .pipe(
          audit.recording(operator(account.company.id, operatorName), () => [entries.companyCreated(account)])
        )
      return account
    })

    const signUp = Effect.fnUntraced(function* (from: Origin, request: Signup) {
      const account = newAccount(request)
      const token = newToken("dls_")
      const passwordHash = yield* passwords.inTurn(strangersTurn(from.address ?? ""), ({ hash }) =>
        hash(request.password)
      )
      const session = { tokenHash: tokenHash(token), userAgent: from.userAgent }
      const by = actingAs(account, from)
      yield* repo
        .insert(account, passwordHash, session)
        .pipe(audit.recording(by, () => [entries.companyCreated(account)]))
      const device = yield* devices.remember(request.device, { user: account.user, passwordHash })
      return { account, token, device } satisfies SignedIn
    })

    /** Fails with `TooManyRequests` after very many sign-ups from one address or network. */
    const signup = (
      from: Origin,
      request: Signup
    ): Effect.Effect<SignedIn, SignupClosed | EmailTaken | TooManyRequests> =>
      config.signupOpen
        ? signups.limiting(from.address ?? "", signUp(from, request))
        : Effect.fail(new SignupClosed())

    const logIn = Effect.fnUntraced(function* (
      from: Origin,
      { device, password, replaced, ...request }: Login
    ) {
      const email = normalEmail(request.email)
      const mayBeKnown = yield* devices.mayKnow(device, email)
      const guesser = (isKnown: boolean): Guesser => ({
        account: countedAs(email),
        address: from.address ?? "",
        as: isKnown ? "known device" : "stranger"
      })
      const found = Option.getOrUndefined(yield* lookUp(guesser(mayBeKnown), email))
      const isKnown =
        mayBeKnown &&
        found !== undefined &&
        (yield* devices.knows(device, { user: found.account.user, passwordHash: found.passwordHash }))
      const noteRefusal =
        found === undefined
          ? Effect.void
          : audit.note(actingAs(found.account, from), entries.signInRefused(found.account))
      const { account, passwordHash } = yield* limited(guesser(isKnown), ({ verify }) =>
        Effect.flatMap(verify(password, found?.passwordHash), (matches) =>
          matches && found !== undefined ? Effect.succeed(found) : new InvalidLogin()
        )
      ).pipe(Effect.tapErrorTag("InvalidLogin", () => noteRefusal))
      const token = newToken("dls_")
      const session = {
        tokenHash: tokenHash(token),
        userAgent: from.userAgent,
        replacedHash: replaced === undefined ? undefined : tokenHash(replaced)
      }
      const by = actingAs(account, from)
      const begun = yield* repo
        .renewSession(session, account.user.id, passwordHash)
        .pipe(
          audit.recording(
            by,
            Option.match({ onNone: () => [], onSome: (session) => [entries.signedIn(by, session)] })
          )
        )
      if (Option.isNone(begun)) return yield* Effect.zipRight(noteRefusal, new InvalidLogin())
      return {
        account,
        token,
        device: yield* devices.remember(device, { user: account.user, passwordHash })
      } satisfies SignedIn
    })

    /**
     * Replaces the user's session in this browser, and ends excess sessions. Fails with `InvalidLogin`, in
     * the same time for known and unknown emails, and with `TooManyRequests` after repeated failures.
     */
    const login = (from: Origin, request: Login): Effect.Effect<SignedIn, InvalidLogin | TooManyRequests> =>
      logIn(from, request).pipe(
        Effect.tapBoth({
          onSuccess: () => Effect.sync(() => signIns.success.add()),
          onFailure: ({ _tag }) =>
            Effect.sync(() => signIns[_tag === "InvalidLogin" ? "refused" : "limited"].add())
        })
      )

    /**
     * Ends all other sessions of the user, and returns the browser's new known-device cookie. Fails with
     * `TooManyRequests` after repeated failures: nobody may guess the password at an open dashboard.
     */
    const changePassword = Effect.fnUntraced(function* (by: ActingUser, change: PasswordChange) {
      const stored = yield* repo.findPasswordHash(by.id).pipe(foundOr(() => new WrongPassword()))
      const guesser: Guesser = {
        account: countedAs(by.name),
        address: by.address ?? "",
        as: "signed in",
        session: change.sessionId
      }
      const next = yield* limited(guesser, ({ hash, verify }) =>
        Effect.flatMap(verify(change.currentPassword, stored), (right) =>
          right ? hash(change.newPassword) : new WrongPassword()
        )
      )
      const changed = yield* repo
        .changePassword(by.id, change.sessionId, stored, next)
        .pipe(
          audit.recording(by, (ended) =>
            Option.isSome(ended) ? [entries.otherSessions("user.password_changed", by, ended.value)] : []
          )
        )
      // Another request changed the password after this one had checked it.
      if (Option.isNone(changed)) return yield* new WrongPassword()
      return yield* devices.remember(change.device, {
        user: { id: by.id, email: by.name },
        passwordHash: next
      })
    }) satisfies (
      by: ActingUser,
      change: PasswordChange
    ) => Effect.Effect<string, WrongPassword | TooManyRequests>

    /** Returns false if the user has no such session. */
    const end = (
      action: "user.signed_out" | "user.session_ended",
      by: ActingUser,
      id: string
    ): Effect.Effect<boolean> =>
      repo
        .endSession(by.id, id)
        .pipe(audit.recording(by, (ended) => (ended ? [entries.session(action, by, id)] : [])))

    /** Takes effect at once. Fails with `DashboardSessionNotFound`. */
    const endSession = Effect.fnUntraced(function* (by: ActingUser, id: string) {
      const known = yield* idOr(id, () => new DashboardSessionNotFound())
      if (!(yield* end("user.session_ended", by, known))) return yield* new DashboardSessionNotFound()
    })

    const endOtherSessions = (by: ActingUser, currentId: string): Effect.Effect<void> =>
      repo.endOtherSessions(by.id, currentId).pipe(
        audit.recording(by, (ended) =>
          ended > 0 ? [entries.otherSessions("user.other_sessions_ended", by, ended)] : []
        ),
        Effect.asVoid
      )

    /**
     * The account behind a session's token. Each use keeps the session alive; it is written at most once a
     * minute, and no request waits for the write, so a read-only database signs nobody out.
     */
    const authenticate = Effect.fnUntraced(function* (token: string) {
      if (!isWellFormed("dls_", token)) return yield* new Unauthorized({})
      const found = yield* repo.findSession(tokenHash(token)).pipe(foundOr(() => new Unauthorized({})))
      const { unseen, ...account } = found
      if (unseen) recordUse(account.sessionId)
      return account
    }) satisfies (token: string) => Effect.Effect<Account & { readonly sessionId: string }, Unauthorized>

    /** The session's token no longer works once this returns. */
    const logout = (by: ActingUser, sessionId: string): Effect.Effect<void> =>
      Effect.asVoid(end("user.signed_out", by, sessionId))

    /**
     * Signs the user out whose session a browser has lost, because another one has begun there and has replaced the cookie: nobody else
     * would. A session that has ended stays as it is. Never fails, because the new session has begun: then the old one ends by its expiry.
     */
    const endReplaced = Effect.fnUntraced(
      function* (from: Origin, replaced: string | undefined) {
        if (replaced === undefined) return
        const found = yield* repo.findSession(tokenHash(replaced))
        if (Option.isSome(found)) yield* logout(actingAs(found.value, from), found.value.sessionId)
      },
      Effect.catchAllCause((cause) =>
        Effect.logWarning("A sign-in could not end the session that it replaces", cause)
      )
    )

    return {
      register,
      signup,
      login,
      authenticate,
      logout,
      endReplaced,
      changePassword,
      sessions: repo.listSessions,
      endSession,
      endOtherSessions
    }
  })
}) {}
