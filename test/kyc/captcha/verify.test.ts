import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { field } from "../../support/client.ts"
import { withoutTable } from "../../support/database/outage.ts"
import { captchaRefusal, rejection, secret, success, tokenWith, verify } from "../../support/kyc/captcha.ts"
import { Partner, startCompany, statusAndBody } from "../../support/kyc/partner.ts"
import { suite } from "../../support/suite.ts"

const missing = captchaRefusal(400, "Missing token")

suite(Partner.layer)("Captcha verify, errors (contract.md#captcha)", (it) => {
  it.effect("400 Missing token: each of the fields, absent, empty, or no string", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const session = yield* given.newSession()
      for (const name of ["token", "captchaToken", "siteKey"]) {
        for (const value of [undefined, "", null, ["x"]]) {
          expect(statusAndBody(yield* verify(given, session, "a.b.c", { [name]: value }))).toStrictEqual(
            missing
          )
        }
      }
    })
  )

  for (const status of ["completed", "failed", "cancelled"]) {
    for (const late of [false, true]) {
      it.effect(`409 Session already completed: ${status}${late ? " and past expires_at" : ""}`, () =>
        Effect.gen(function* () {
          const given = yield* Partner
          const session = yield* given.newSession()
          yield* given.complete(session, { status })
          if (late) yield* given.expire(session)
          expect(statusAndBody(yield* verify(given, session, "a.b.c"))).toStrictEqual(
            captchaRefusal(409, "Session already completed")
          )
        })
      )
    }
  }

  for (const status of ["created", "running"]) {
    it.effect(`410 Session expired: ${status} and past expires_at`, () =>
      Effect.gen(function* () {
        const given = yield* Partner
        const session = yield* given.newSession()
        yield* given.progress(session, { status })
        yield* given.expire(session)
        expect(statusAndBody(yield* verify(given, session, "a.b.c"))).toStrictEqual(
          captchaRefusal(410, "Session expired")
        )
      })
    )
  }

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

const failed = captchaRefusal(500, "Failed to verify captcha token")

it.scopedLive("500 Failed to verify captcha token: it cannot be recorded; nothing is half-written", () =>
  Effect.gen(function* () {
    const given = yield* startCompany({ CAPTCHA_JWT_SECRET: secret })
    const [session, other] = [yield* given.newSession(), yield* given.newSession()]
    const token = yield* Effect.promise(() => tokenWith())
    expect(
      statusAndBody(yield* withoutTable(given.server, "kyc_captcha_tokens", verify(given, session, token)))
    ).toStrictEqual(failed)
    const { body } = yield* given.asPartner(`/api/kyc/sessions/${session.id}`)
    expect(field(body, "session", "assurance", "captcha")).toStrictEqual({
      verified: false,
      score: null,
      at: null
    })
    expect(statusAndBody(yield* verify(given, other, token))).toStrictEqual(success(0.9))
  })
)
