/** The route's answers. Rules of all routes (ids, bodies, credentials, a database that is away) are in `test/http`. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Rejection } from "../../../src/kyc/captcha/model.ts"
import { field } from "../../support/client.ts"
import { withoutTable } from "../../support/database/outage.ts"
import {
  captchaRefusal,
  claims,
  Issuers,
  nowSeconds,
  rejection,
  secret,
  sign,
  success,
  tokenWith,
  verify
} from "../../support/kyc/captcha.ts"
import { type Company, Partner, startCompany, statusAndBody, unknownId } from "../../support/kyc/partner.ts"
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

/** In the order of the checks: the claims that fail each, for which no two need the same claim. */
const faults: ReadonlyArray<{
  readonly error: Rejection
  readonly claims: Readonly<Record<string, unknown>>
}> = [
  { error: "MALFORMED", claims: { nbf: "0" } },
  { error: "INVALID_SIGNATURE", claims: {} },
  { error: "EXPIRED", claims: { exp: nowSeconds() - 1 } },
  { error: "SITE_MISMATCH", claims: { siteKey: "site-2" } },
  { error: "SESSION_MISMATCH", claims: { sub: unknownId } },
  { error: "LOW_SCORE", claims: { score: 0.49 } },
  { error: "DUPE", claims: {} }
]

/** A jti that a session of the company has used. */
const usedJti = (given: Company) =>
  Effect.gen(function* () {
    const good = claims()
    const token = yield* Effect.promise(() => sign(good))
    expect(statusAndBody(yield* verify(given, yield* given.newSession(), token))).toStrictEqual(success(0.9))
    return good.jti
  })

/** A token that fails these checks and no other. */
const tokenFailing = (given: Company, found: ReadonlyArray<(typeof faults)[number]>) =>
  Effect.gen(function* () {
    const has = (error: Rejection) => found.some((fault) => fault.error === error)
    const changes = Object.assign({}, ...found.map((fault) => fault.claims))
    const payload = claims(has("DUPE") ? { jti: yield* usedJti(given), ...changes } : changes)
    const key = new TextEncoder().encode(has("INVALID_SIGNATURE") ? `not ${secret}` : secret)
    return yield* Effect.promise(() => sign(payload, { key }))
  })

suite(Issuers.layer)("Captcha rejections, in their order (contract.md#captcha-rejections)", (it) => {
  for (const [index, { error }] of faults.entries()) {
    it.effect(`${error}, alone and before all that come later`, () =>
      Effect.gen(function* () {
        const { strict } = yield* Issuers
        for (const found of [faults.slice(index, index + 1), faults.slice(index)]) {
          const token = yield* tokenFailing(strict, found)
          expect(statusAndBody(yield* verify(strict, yield* strict.newSession(), token))).toStrictEqual(
            rejection(error)
          )
        }
      })
    )
  }

  it.effect("SITE_MISMATCH: the site key of the token is not that of the body", () =>
    Effect.gen(function* () {
      const { plain } = yield* Issuers
      const session = yield* plain.newSession()
      for (const siteKey of [undefined, ["site-1"], "Site-1", "site-1 "]) {
        const token = yield* Effect.promise(() => sign(claims({ siteKey })))
        expect(statusAndBody(yield* verify(plain, session, token))).toStrictEqual(rejection("SITE_MISMATCH"))
      }
    })
  )

  it.effect("SITE_MISMATCH: the site key of token and body is not that of the instance", () =>
    Effect.gen(function* () {
      const { plain, strict } = yield* Issuers
      const token = yield* Effect.promise(() => sign(claims({ siteKey: "site-2" })))
      const body = { siteKey: "site-2" }
      expect(statusAndBody(yield* verify(strict, yield* strict.newSession(), token, body))).toStrictEqual(
        rejection("SITE_MISMATCH")
      )
      expect(statusAndBody(yield* verify(plain, yield* plain.newSession(), token, body))).toStrictEqual(
        success(0.9)
      )
    })
  )

  it.effect("LOW_SCORE: only if the instance sets a minimum; an invalid score counts as 0", () =>
    Effect.gen(function* () {
      const { plain, strict } = yield* Issuers
      for (const [score, read] of [
        [0.49, 0.49],
        ["1", 0]
      ] as const) {
        const token = yield* Effect.promise(() => sign(claims({ score })))
        expect(statusAndBody(yield* verify(strict, yield* strict.newSession(), token))).toStrictEqual(
          rejection("LOW_SCORE")
        )
        expect(statusAndBody(yield* verify(plain, yield* plain.newSession(), token))).toStrictEqual(
          success(read)
        )
      }
      const enough = yield* Effect.promise(() => sign(claims({ score: 0.5 })))
      expect(statusAndBody(yield* verify(strict, yield* strict.newSession(), enough))).toStrictEqual(
        success(0.5)
      )
    })
  )

  it.effect("LOW_SCORE: the minimum comes from the session's version of the instance", () =>
    Effect.gen(function* () {
      const { strict } = yield* Issuers
      const session = yield* strict.newSession()
      const config = (minScore: number) =>
        strict.asMember("PATCH", `/api/kyc/instances/${strict.instance.id}`, {
          config: { captcha: { siteKey: "site-1", minScore } }
        })
      yield* config(0)
      const edited = yield* strict.newSession()
      yield* config(0.5)
      const token = yield* Effect.promise(() => sign(claims({ score: 0.1 })))
      expect(statusAndBody(yield* verify(strict, session, token))).toStrictEqual(rejection("LOW_SCORE"))
      expect(statusAndBody(yield* verify(strict, edited, token))).toStrictEqual(success(0.1))
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
