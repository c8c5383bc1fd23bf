import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { send, type TestSession } from "../support/client.ts"
import { Partner, strayToken, unknownId } from "../support/kyc.ts"

/** Every route whose credential is the session token. */
const routes = [
  ["GET", "", {}],
  ["POST", "/progress", { progress: { a: 1 }, status: "running" }],
  ["POST", "/complete", { result: 1 }],
  ["POST", "/dedup-check", { keyHash: "a".repeat(64) }],
  ["POST", "/captcha/verify", { captchaToken: "x", siteKey: "x" }],
  ["POST", "/files", {}],
  ["POST", "/handoffs", {}],
  ["POST", `/handoffs/${unknownId}/cancel`, {}]
] as const

type Route = (typeof routes)[number]

const ask = ([method, suffix, fields]: Route, path: string, token: string, requestId = "one-id") =>
  Effect.flatMap(Partner, ({ server }) =>
    send(server, method, method === "GET" ? `${path}?token=${token}` : `${path}${suffix}`, {
      headers: {
        "x-request-id": requestId,
        ...(suffix === "/files" ? { authorization: `Bearer ${token}` } : {})
      },
      ...(method === "GET" ? {} : { json: { token, ...fields } })
    })
  )

const unknownPath = `/api/kyc/public/sessions/${unknownId}`

/** All ways of not having a session's token, as path and token. */
const wrongWays = (session: TestSession) =>
  Effect.gen(function* () {
    const partner = yield* Partner
    const stray = yield* strayToken(partner)
    const other = yield* partner.newSession()
    const expired = yield* partner.expiredSession()
    const finished = yield* partner.newSession()
    yield* partner.complete(finished)
    return [
      [session.path, stray],
      [session.path, other.token],
      [session.path, session.token.slice(0, -1)],
      [session.path, "nonsense"],
      [expired.path, stray],
      [finished.path, stray],
      [unknownPath, stray],
      [unknownPath, session.token],
      [unknownPath, "nonsense"],
      ["/api/kyc/public/sessions/not-a-uuid", session.token]
    ] as const
  })

const median = (times: ReadonlyArray<number>): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN

layer(Partner.layer, { excludeTestServices: true })("Wrong token, unknown session (decisions 1)", (it) => {
  for (const route of routes) {
    const name = `${route[0]} ${route[1]}`

    it.effect(`${name}: the same status, body and headers`, () =>
      Effect.gen(function* () {
        const { newSession } = yield* Partner
        for (const [path, token] of yield* wrongWays(yield* newSession())) {
          const answer = yield* ask(route, path, token)
          const headers = Object.fromEntries(answer.headers)
          const { date, ...others } = headers
          expect(date).toBeDefined()
          const text = route[1].startsWith("/captcha")
            ? '{"ok":false,"error":"Session not found"}'
            : '{"error":"Session not found"}'
          expect({ status: answer.status, text: answer.text, others }).toStrictEqual({
            status: 404,
            text,
            others: {
              "access-control-allow-origin": "*",
              "access-control-expose-headers": "doorlock-error, retry-after, x-request-id",
              "cache-control": "no-store",
              "content-length": String(text.length),
              "content-security-policy":
                "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
              "content-type": "application/json",
              "doorlock-error": "session-not-found",
              "cross-origin-resource-policy": "same-origin",
              "referrer-policy": "no-referrer",
              "x-content-type-options": "nosniff",
              "x-frame-options": "DENY",
              "x-request-id": "one-id"
            }
          })
        }
      })
    )

    it.effect(
      `${name}: no timing that tells them apart`,
      () =>
        Effect.gen(function* () {
          const partner = yield* Partner
          const session = yield* partner.newSession()
          const stray = yield* strayToken(partner)
          // A session with much in it, whose row would be felt if it were read.
          yield* partner.progress(session, { progress: { a: "x".repeat(60_000) } })
          const known: Array<number> = []
          const unknown: Array<number> = []
          // Interleaved, so that what else happens on the machine falls on both alike.
          for (let i = 0; i < 300; i++) {
            for (const [path, times] of [
              [session.path, known],
              [unknownPath, unknown]
            ] as const) {
              const started = performance.now()
              yield* ask(route, path, stray)
              times.push(performance.now() - started)
            }
          }
          const [one, other] = [median(known), median(unknown)]
          // Measured: 1.00 to 1.12 on a busy machine. Reading the row of 60 KB would be far beyond the bound.
          expect(Math.max(one, other) / Math.min(one, other)).toBeLessThan(1.4)
        }),
      60_000
    )
  }
})
