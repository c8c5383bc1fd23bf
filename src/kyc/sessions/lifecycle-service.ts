import { Effect } from "effect"
import type { Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { Config } from "../../config.ts"
import { kycSessions } from "../../observability/metrics.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { tokenHash } from "../../secrets/token.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { noSession, SessionExpired, SessionNotUpdatable } from "./errors.ts"
import { SessionLifecycleRepo } from "./lifecycle-repo.ts"
import { isFinished } from "./model.ts"
import { resumedTokenOf } from "./repeated-creation.ts"

/** What a company does with its sessions that are not finished (contract.md#cancelling). */
export class SessionLifecycle extends Effect.Service<SessionLifecycle>()("SessionLifecycle", {
  dependencies: [SessionLifecycleRepo.Default],
  effect: Effect.gen(function* () {
    const { appUrl } = yield* Config
    const repo = yield* SessionLifecycleRepo
    const audit = yield* Audit
    const tokenKey = (yield* SecretKey).derive("kyc-session-resumed")

    /** Also refuses a redacted session: it expired, and nothing is left to go on with. */
    const lockUnfinished = (companyId: string, id: string) =>
      repo.lock(companyId, id).pipe(
        foundOr(noSession),
        Effect.filterOrFail(
          ({ redacted, status }) => !redacted && !isFinished(status),
          () => new SessionNotUpdatable()
        )
      )

    /** Also of an expired session. Fails with `SessionNotFound` or `SessionNotUpdatable`. */
    const cancel = Effect.fnUntraced(function* (by: Actor, sessionId: string) {
      const id = yield* idOr(sessionId, noSession)
      const cancelled = yield* Effect.gen(function* () {
        yield* lockUnfinished(by.companyId, id)
        yield* repo.endHandoffs(id)
        return yield* repo.cancel(by.companyId, id)
      }).pipe(audit.recording(by, () => [{ action: "kyc_session.cancelled", id, name: null }]))
      kycSessions.cancelled.add()
      return cancelled
    })

    /**
     * Replaces the session's token, which appears here and in the answer to a retry of the creation, and hashed in the database. With `expiresInSeconds` the
     * lifetime starts anew. Fails with `SessionNotFound`, `SessionNotUpdatable`, or `SessionExpired` if the session has
     * expired and gets no new lifetime.
     */
    const resume = Effect.fnUntraced(function* (
      by: Actor,
      sessionId: string,
      expiresInSeconds: number | undefined
    ) {
      const id = yield* idOr(sessionId, noSession)
      const salt = crypto.getRandomValues(new Uint8Array(32))
      const token = resumedTokenOf(tokenKey, id, salt)
      const session = yield* Effect.gen(function* () {
        const { expired } = yield* lockUnfinished(by.companyId, id)
        if (expired && expiresInSeconds === undefined) return yield* new SessionExpired()
        // A handoff has the previous token.
        yield* repo.endHandoffs(id)
        return yield* repo.resume(by.companyId, id, { hash: tokenHash(token), salt }, by, expiresInSeconds)
      }).pipe(
        audit.recording(by, ({ expires_at }) => [
          {
            action: "kyc_session.resumed",
            id,
            name: null,
            details: { expires_at: expires_at.toISOString() }
          }
        ])
      )
      return {
        session,
        verificationUrl: `${appUrl}/kyc/session/${id}?token=${token}`,
        sessionToken: token
      }
    })

    return { cancel, resume }
  })
}) {}
