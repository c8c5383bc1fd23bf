/** The route, whatever the token. Rules of all routes (ids, bodies, credentials, a database that is away) are in `test/http`. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { field } from "../../support/client.ts"
import { withoutTable } from "../../support/database/outage.ts"
import { captchaRefusal, rejection, secret, success, tokenWith, verify } from "../../support/kyc/captcha.ts"
import { Partner, startCompany, statusAndBody } from "../../support/kyc/partner.ts"
import { suite } from "../../support/suite.ts"

const missing = captchaRefusal(400, "Missing token")

suite(Partner.layer)("Captcha verify, errors (contract.md#captcha)", (it) => {
  it.effect("400 Missing token: token, captchaToken or siteKey", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const session = yield* given.newSession()
      for (const name of ["token", "captchaToken", "siteKey"]) {
        for (const value of [undefined, "", null, 1, ["x"], { a: 1 }]) {
          const answer = yield* verify(given, session, "a.b.c", { [name]: value })
          expect([name, value, statusAndBody(answer)]).toStrictEqual([name, value, missing])
        }
      }
    })
  )

  it.effect("409 Session already completed, also past expires_at; else 410 Session expired", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      for (const status of ["completed", "failed", "cancelled", "running"]) {
        const session = yield* given.newSession()
        const answer = Effect.map(verify(given, session, "a.b.c"), statusAndBody)
        const finished = captchaRefusal(409, "Session already completed")
        const isOpen = status === "running"
        yield* isOpen ? given.progress(session, { status }) : given.complete(session, { status })
        expect(yield* answer).toStrictEqual(isOpen ? rejection("MALFORMED") : finished)
        yield* given.expire(session)
        expect(yield* answer).toStrictEqual(isOpen ? captchaRefusal(410, "Session expired") : finished)
      }
    })
  )

  it.effect("Order of checks: the body, then the session, then its state, then the captcha token", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const finished = yield* given.newSession()
      yield* given.complete(finished)
      const open = yield* given.newSession()
      const wrong = { ...finished, token: open.token }
      expect(statusAndBody(yield* verify(given, wrong, ""))).toStrictEqual(missing)
      expect(statusAndBody(yield* verify(given, wrong, "nonsense"))).toStrictEqual(
        captchaRefusal(404, "Session not found")
      )
      expect(statusAndBody(yield* verify(given, finished, "nonsense"))).toStrictEqual(
        captchaRefusal(409, "Session already completed")
      )
      expect(statusAndBody(yield* verify(given, open, "nonsense"))).toStrictEqual(rejection("MALFORMED"))
    })
  )
})

it.scopedLive("500 Failed to verify captcha token: it cannot be recorded; nothing is half-written", () =>
  Effect.gen(function* () {
    const given = yield* startCompany({ CAPTCHA_JWT_SECRET: secret })
    const [session, other] = [yield* given.newSession(), yield* given.newSession()]
    const token = yield* Effect.promise(() => tokenWith())
    expect(
      statusAndBody(yield* withoutTable(given.server, "kyc_captcha_tokens", verify(given, session, token)))
    ).toStrictEqual(captchaRefusal(500, "Failed to verify captcha token"))
    const { body } = yield* given.asPartner(`/api/kyc/sessions/${session.id}`)
    expect(field(body, "session", "assurance", "captcha")).toStrictEqual({
      verified: false,
      score: null,
      at: null
    })
    expect(statusAndBody(yield* verify(given, other, token))).toStrictEqual(success(0.9))
  })
)
