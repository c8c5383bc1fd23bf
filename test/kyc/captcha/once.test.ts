import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "../../../src/db/connection.ts"
import { field, type TestSession } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import {
  captchaRefusal,
  claims,
  Issuers,
  nowSeconds,
  rejection,
  sign,
  success,
  tokenWith,
  verify
} from "../../support/kyc/captcha.ts"
import { type Company, statusAndBody } from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const captchaOf = (given: Company, { id }: TestSession) =>
  Effect.map(given.asPartner(`/api/kyc/sessions/${id}`), ({ body }) =>
    field(body, "session", "assurance", "captcha")
  )

const unverified = { verified: false, score: null, at: null }

const sessions = (given: Company, count: number) =>
  Effect.all(
    Array.from({ length: count }, () => given.newSession()),
    { concurrency: 10 }
  )

/** Verifies the token while a transaction changes the session, which commits once the verification waits for it. */
const verifiedUnder = (given: Company, session: TestSession, token: string, change: string) =>
  Effect.gen(function* () {
    const { databaseUrl } = given.server
    const client = yield* connect(databaseUrl)
    const query = (text: string) => Effect.promise(() => client.query(text))
    yield* query(`begin; select from kyc_sessions where id = '${session.id}' for update`)
    const answering = yield* Effect.fork(verify(given, session, token))
    yield* eventually(
      "a statement waits for the change",
      Effect.map(
        execute(
          databaseUrl,
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        ),
        (waiting) => waiting.length > 0
      )
    )
    yield* query(`update kyc_sessions set ${change} where id = '${session.id}'; commit`)
    return statusAndBody(yield* answering)
  }).pipe(Effect.scoped)

suite(Issuers.layer)("A captcha token is used once", (it) => {
  it.effect("DUPE: another session, also of another company; the first one succeeds again", () =>
    Effect.gen(function* () {
      const { plain, strict } = yield* Issuers
      const [session, other] = [yield* plain.newSession(), yield* plain.newSession()]
      const token = yield* Effect.promise(() => tokenWith())
      expect(statusAndBody(yield* verify(plain, session, token))).toStrictEqual(success(0.9))
      const recorded = yield* captchaOf(plain, session)
      expect(recorded).toStrictEqual({ verified: true, score: 0.9, at: anInstant })
      expect(statusAndBody(yield* verify(plain, other, token))).toStrictEqual(rejection("DUPE"))
      expect(yield* captchaOf(plain, other)).toStrictEqual(unverified)
      expect(statusAndBody(yield* verify(strict, yield* strict.newSession(), token))).toStrictEqual(
        rejection("DUPE")
      )
      expect(statusAndBody(yield* verify(plain, session, token))).toStrictEqual(success(0.9))
      expect(yield* captchaOf(plain, session)).toStrictEqual(recorded)
    })
  )

  it.effect("DUPE: another token with the same jti, until both have expired", () =>
    Effect.gen(function* () {
      const { plain } = yield* Issuers
      const session = yield* plain.newSession()
      const short = claims({ exp: nowSeconds() + 60 })
      const long = { ...short, exp: nowSeconds() + 600 }
      for (const payload of [short, long, short]) {
        const token = yield* Effect.promise(() => sign(payload))
        expect(statusAndBody(yield* verify(plain, session, token))).toStrictEqual(success(0.9))
      }
      const token = yield* Effect.promise(() => sign(long))
      expect(statusAndBody(yield* verify(plain, yield* plain.newSession(), token))).toStrictEqual(
        rejection("DUPE")
      )
      const kept = yield* execute(
        plain.server.databaseUrl,
        "select extract(epoch from expires_at)::int as until from kyc_captcha_tokens where session_id = $1",
        [session.id]
      )
      expect(kept).toStrictEqual([{ until: long.exp }])
    })
  )

  it.effect("the jti is consumed last: a mismatch does not use up a valid token", () =>
    Effect.gen(function* () {
      const { plain, strict } = yield* Issuers
      const session = yield* plain.newSession()
      const changes = { sub: session.id, score: 0.4 }
      const token = yield* Effect.promise(() => tokenWith(changes))
      expect(statusAndBody(yield* verify(plain, session, token, { siteKey: "site-2" }))).toStrictEqual(
        rejection("SITE_MISMATCH")
      )
      expect(statusAndBody(yield* verify(plain, yield* plain.newSession(), token))).toStrictEqual(
        rejection("SESSION_MISMATCH")
      )
      const low = yield* Effect.promise(() => tokenWith({ score: 0.4 }))
      expect(statusAndBody(yield* verify(strict, yield* strict.newSession(), low))).toStrictEqual(
        rejection("LOW_SCORE")
      )
      expect(statusAndBody(yield* verify(plain, session, token))).toStrictEqual(success(0.4))
      expect(statusAndBody(yield* verify(plain, session, low))).toStrictEqual(success(0.4))
    })
  )

  it.effect(
    "several tokens of one session: the time of the first, the best score; a rejection does not count",
    () =>
      Effect.gen(function* () {
        const { plain } = yield* Issuers
        const session = yield* plain.newSession()
        const verified = (changes: object) =>
          Effect.flatMap(
            Effect.promise(() => tokenWith({ ...changes })),
            (token) => Effect.map(verify(plain, session, token), statusAndBody)
          )
        expect(yield* verified({ siteKey: "site-2" })).toStrictEqual(rejection("SITE_MISMATCH"))
        expect(yield* captchaOf(plain, session)).toStrictEqual(unverified)
        expect(yield* verified({ score: 0.3 })).toStrictEqual(success(0.3))
        const first = Object(yield* captchaOf(plain, session))
        for (const score of [0.8, 0.5]) expect(yield* verified({ score })).toStrictEqual(success(score))
        expect(yield* captchaOf(plain, session)).toStrictEqual({ ...first, score: 0.8 })
      })
  )

  it.effect("50 concurrent sessions with one token: exactly one success", () =>
    Effect.gen(function* () {
      const { plain } = yield* Issuers
      const all = yield* sessions(plain, 50)
      const token = yield* Effect.promise(() => tokenWith())
      const answers = yield* Effect.all(
        all.map((session) => Effect.map(verify(plain, session, token), statusAndBody)),
        { concurrency: "unbounded" }
      )
      const winners = all.filter((_, index) => Bun.deepEquals(answers[index], success(0.9)))
      expect(winners).toHaveLength(1)
      expect(answers.filter((answer) => Bun.deepEquals(answer, rejection("DUPE")))).toHaveLength(49)
      const recorded = yield* Effect.all(all.map((session) => captchaOf(plain, session)))
      expect(recorded.filter((captcha) => !Bun.deepEquals(captcha, unverified))).toHaveLength(1)
    })
  )

  for (const [change, answer] of [
    ["status = 'completed', completed_at = now()", captchaRefusal(409, "Session already completed")],
    ["expires_at = now()", captchaRefusal(410, "Session expired")],
    ["external_reference = 'x', updated_at = now()", success(0.9)]
  ] as const) {
    it.effect(`a session changed between its lookup and the token's use: ${change}`, () =>
      Effect.gen(function* () {
        const { plain } = yield* Issuers
        const [session, other] = [yield* plain.newSession(), yield* plain.newSession()]
        const token = yield* Effect.promise(() => tokenWith())
        expect(yield* verifiedUnder(plain, session, token, change)).toStrictEqual(answer)
        const kept = answer.status === 200
        expect(yield* captchaOf(plain, session)).toStrictEqual(
          kept ? { verified: true, score: 0.9, at: anInstant } : unverified
        )
        expect(statusAndBody(yield* verify(plain, other, token))).toStrictEqual(
          kept ? rejection("DUPE") : success(0.9)
        )
      })
    )
  }
})
