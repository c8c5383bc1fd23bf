import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Rejection } from "../../../src/kyc/captcha/model.ts"
import {
  claims,
  Issuers,
  nowSeconds,
  rejection,
  secret,
  sign,
  success,
  verify
} from "../../support/kyc/captcha.ts"
import { type Company, statusAndBody, unknownId } from "../../support/kyc/partner.ts"
import { suite } from "../../support/suite.ts"

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
