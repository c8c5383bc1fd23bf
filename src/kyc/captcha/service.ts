import { Clock, Effect } from "effect"
import { captchaVerifications } from "../../observability/metrics.ts"
import { sha256 } from "../../secrets/digest.ts"
import { foundOr } from "../../shared/found.ts"
import { captchaSettings } from "../instances/settings-model.ts"
import { noSession, SessionExpired } from "../sessions/errors.ts"
import { isFinished, type SessionKey } from "../sessions/model.ts"
import { SessionMutex } from "../sessions/mutex-service.ts"
import { type SessionAccess, sessionKey } from "../sessions/service.ts"
import { CaptchaIssuer } from "./issuer.ts"
import { type CaptchaClaims, CaptchaSessionFinished, type Rejection, type Verdict } from "./model.ts"
import { CaptchaRepo } from "./repo.ts"

const rejected = (error: Rejection) => ({ success: false, error }) satisfies Verdict

/** Verifies captcha tokens for sessions (contract.md#captcha). */
export class Captcha extends Effect.Service<Captcha>()("Captcha", {
  dependencies: [SessionMutex.Default],
  effect: Effect.gen(function* () {
    const repo = yield* CaptchaRepo
    const issuer = yield* CaptchaIssuer
    const { withLock } = yield* SessionMutex

    const openSession = Effect.fnUntraced(function* (key: SessionKey) {
      const found = yield* repo.findSession(key).pipe(foundOr(noSession))
      if (isFinished(found.status)) return yield* new CaptchaSessionFinished()
      if (found.expired) return yield* new SessionExpired()
      return captchaSettings(found.config)
    })

    /** The last step, so that a token refused for another reason is not used up. */
    const consume = Effect.fnUntraced(function* (key: SessionKey, claims: CaptchaClaims) {
      const { open, taken } = yield* withLock(key)(repo.consume(key.id, sha256(claims.jti), claims))
      // The session has finished or expired since the first check: this fails with that reason.
      if (!open) yield* openSession(key)
      return taken ? ({ success: true, score: claims.score } satisfies Verdict) : rejected("DUPE")
    })

    /** Checks in the order of the contract (contract.md#captcha-rejections). */
    const judge = Effect.fnUntraced(function* (key: SessionKey, captchaToken: string, siteKey: string) {
      const instance = yield* openSession(key)
      const claims = yield* issuer.read(captchaToken)
      if (typeof claims === "string") return rejected(claims)
      const now = (yield* Clock.currentTimeMillis) / 1000
      // RFC 7519 forbids using a token before its `nbf`; the contract has one rejection for both ends of the period.
      if (claims.exp <= now || (claims.nbf ?? 0) > now + 30) return rejected("EXPIRED")
      if (claims.siteKey !== siteKey) return rejected("SITE_MISMATCH")
      if (instance.siteKey !== undefined && instance.siteKey !== siteKey) return rejected("SITE_MISMATCH")
      if (claims.sub !== undefined && claims.sub.toLowerCase() !== key.id) return rejected("SESSION_MISMATCH")
      if (instance.minScore !== undefined && claims.score < instance.minScore) return rejected("LOW_SCORE")
      return yield* consume(key, claims)
    })

    /**
     * Judges a captcha token for a session; a rejection is a verdict, not a failure. The same token from the same
     * session succeeds again. Fails with `SessionNotFound`, `CaptchaSessionFinished` or `SessionExpired`.
     */
    const verify = Effect.fnUntraced(function* (
      access: SessionAccess,
      captchaToken: string,
      siteKey: string
    ) {
      const key = yield* sessionKey(access)
      const verdict = yield* judge(key, captchaToken, siteKey)
      captchaVerifications[verdict.success ? "success" : verdict.error].add()
      return verdict
    })

    return { verify }
  })
}) {}
