import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { field, send } from "../../support/client.ts"
import { withoutDatabase, withoutTable } from "../../support/database/outage.ts"
import { eventually } from "../../support/eventually.ts"
import {
  captchaRefusal,
  rejection,
  secret,
  success,
  tokenWith,
  verify,
  verifyRaw
} from "../../support/kyc/captcha.ts"
import { Partner, startCompany, statusAndBody, strayToken, unknownId } from "../../support/kyc/partner.ts"
import { suite } from "../../support/suite.ts"

const json = { "content-type": "application/json" }
const missing = captchaRefusal(400, "Missing token")

suite(Partner.layer)("Captcha verify, errors (contract.md#captcha)", (it) => {
  for (const name of ["token", "captchaToken", "siteKey"]) {
    for (const [what, value] of [
      ["absent", undefined],
      ["empty", ""],
      ["null", null],
      ["a number", 1],
      ["an array", ["x"]],
      ["an object", { a: 1 }],
      ["a boolean", true]
    ] as const) {
      it.effect(`400 Missing token: ${name} is ${what}`, () =>
        Effect.gen(function* () {
          const given = yield* Partner
          const session = yield* given.newSession()
          expect(statusAndBody(yield* verify(given, session, "a.b.c", { [name]: value }))).toStrictEqual(
            missing
          )
        })
      )
    }
  }

  for (const [what, options] of [
    ["no body", {}],
    ["an empty object", { json: {} }],
    ["an empty body of JSON", { body: "", headers: json }],
    [
      "fields under odd names",
      { body: '{"Token":"a","__proto__":{"token":"a","captchaToken":"a","siteKey":"a"}}', headers: json }
    ]
  ] as const) {
    it.effect(`400 Missing token: ${what}`, () =>
      Effect.gen(function* () {
        const given = yield* Partner
        const { path } = yield* given.newSession()
        expect(statusAndBody(yield* verifyRaw(given, path, options))).toStrictEqual(missing)
      })
    )
  }

  it.effect("400 Missing token: a token in the query is ignored", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const { path, token } = yield* given.newSession()
      const answer = yield* send(given.server, "POST", `${path}/captcha/verify?token=${token}`, {
        json: { captchaToken: "a.b.c", siteKey: "s" }
      })
      expect(statusAndBody(answer)).toStrictEqual(missing)
    })
  )

  for (const body of ["{", "nonsense", "[]", "null", '"text"', "7", '{"token":}', "\u0000", "{}{}"]) {
    it.effect(`400 Request body must be a JSON object: ${JSON.stringify(body)}`, () =>
      Effect.gen(function* () {
        const given = yield* Partner
        const { path } = yield* given.newSession()
        expect(statusAndBody(yield* verifyRaw(given, path, { body, headers: json }))).toStrictEqual(
          captchaRefusal(400, "Request body must be a JSON object")
        )
      })
    )
  }

  it.effect("404 Session not found: a wrong token, an unknown session, an id that is not a UUID", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const session = yield* given.newSession()
      const other = yield* given.newSession()
      const stray = yield* strayToken(given)
      for (const wrong of [
        { ...session, token: other.token },
        { ...session, token: stray },
        { ...session, token: "kyc_sess_nonsense" },
        { ...session, token: "\u0000" },
        { ...session, token: "\ud800" },
        { ...session, token: given.key.token },
        { ...session, path: `/api/kyc/public/sessions/${unknownId}` },
        { ...session, path: "/api/kyc/public/sessions/not-a-uuid" },
        { ...session, path: "/api/kyc/public/sessions/%00" }
      ]) {
        expect(statusAndBody(yield* verify(given, wrong, "a.b.c"))).toStrictEqual(
          captchaRefusal(404, "Session not found")
        )
      }
    })
  )

  for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
    it.effect(`405 Method not allowed: ${method}`, () =>
      Effect.gen(function* () {
        const given = yield* Partner
        const { path } = yield* given.newSession()
        const answer = yield* verifyRaw(given, path, {}, method)
        expect(statusAndBody(answer)).toStrictEqual(captchaRefusal(405, "Method not allowed"))
        expect(answer.headers.get("allow")).toBe("POST")
      })
    )
  }

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

  it.effect("413 Request body is too large, with and without Content-Length", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const { path } = yield* given.newSession()
      const body = JSON.stringify({ token: "x".repeat(1_048_576) })
      const tooLarge = captchaRefusal(413, "Request body is too large")
      expect(statusAndBody(yield* verifyRaw(given, path, { body, headers: json }))).toStrictEqual(tooLarge)
      const stream = new Blob([body]).stream()
      expect(statusAndBody(yield* verifyRaw(given, path, { body: stream, headers: json }))).toStrictEqual(
        tooLarge
      )
    })
  )

  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "json"]) {
    it.effect(`415 Content-Type must be application/json: ${type}`, () =>
      Effect.gen(function* () {
        const given = yield* Partner
        const { path } = yield* given.newSession()
        expect(
          statusAndBody(yield* verifyRaw(given, path, { body: "{}", headers: { "content-type": type } }))
        ).toStrictEqual(captchaRefusal(415, "Content-Type must be application/json"))
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

it.scopedLive("500 Failed to verify captcha token: the database is down; then it recovers", () =>
  Effect.gen(function* () {
    const given = yield* startCompany({ CAPTCHA_JWT_SECRET: secret })
    const session = yield* given.newSession()
    const token = yield* Effect.promise(() => tokenWith())
    expect(statusAndBody(yield* withoutDatabase(given.server, verify(given, session, token)))).toStrictEqual(
      failed
    )
    yield* eventually(
      "captcha/verify works again",
      Effect.map(verify(given, session, token), ({ status }) => status === 200)
    )
    expect(statusAndBody(yield* verify(given, session, token))).toStrictEqual(success(0.9))
  })
)

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
