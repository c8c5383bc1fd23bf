import { expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { send, type TestSession } from "../support/client.ts"
import { type WireTap, wireTap } from "../support/database/wire-tap.ts"
import { freshDatabase } from "../support/database.ts"
import { companyOn, Partner, strayToken, unknownId } from "../support/kyc/partner.ts"
import { startServerOn } from "../support/server.ts"
import { suite } from "../support/suite.ts"

/** The traffic between the service and its database. */
class Tap extends Context.Tag("Tap")<Tap, WireTap>() {}

/** One connection, so that a statement prepared for one request serves the next. */
const tapped = Layer.scopedContext(
  Effect.gen(function* () {
    const tap = yield* wireTap(yield* freshDatabase)
    const server = yield* startServerOn(tap.url, { DATABASE_POOL: "1" })
    const company = yield* companyOn(server)
    return Context.make(Partner, company).pipe(Context.add(Tap, tap))
  }).pipe(Effect.orDie)
)

/** Every route whose credential is the session token. */
const routes = [
  ["GET", "", {}],
  ["POST", "/progress", { progress: { a: 1 }, status: "running" }],
  ["POST", "/complete", { result: 1 }],
  ["POST", "/dedup-check", { keyHash: "a".repeat(64) }],
  ["POST", "/captcha/verify", { captchaToken: "x", siteKey: "x" }],
  ["POST", "/files", {}],
  ["POST", "/handoffs", {}],
  ["GET", `/handoffs/${unknownId}`, {}],
  ["POST", `/handoffs/${unknownId}/cancel`, {}],
  ["POST", "/receipt", {}],
  ["POST", `/files/${unknownId}/reading`, {}],
  ["GET", `/files/${unknownId}/reading`, {}]
] as const

type Route = (typeof routes)[number]

const ask = ([method, suffix, fields]: Route, path: string, token: string) =>
  Effect.flatMap(Partner, ({ server }) =>
    send(server, method, method === "GET" ? `${path}${suffix}?token=${token}` : `${path}${suffix}`, {
      headers: {
        "x-request-id": "one-id",
        ...(suffix === "/files" ? { authorization: `Bearer ${token}` } : {})
      },
      ...(method === "GET" ? {} : { json: { token, ...fields } })
    })
  )

const unknownPath = `/api/kyc/public/sessions/${unknownId}`

/** The path and token of every kind of request without the session's token. */
const wrongRequests = (session: TestSession) =>
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

suite(tapped)("Wrong token, unknown session", (it) => {
  for (const route of routes) {
    const name = `${route[0]} ${route[1]}`

    it.effect(`${name}: the same status, body and headers`, () =>
      Effect.gen(function* () {
        const { newSession } = yield* Partner
        for (const [path, token] of yield* wrongRequests(yield* newSession())) {
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

    it.effect(`${name}: the same prepared statements and rows, so no timing that tells them apart`, () =>
      Effect.gen(function* () {
        const partner = yield* Partner
        const tap = yield* Tap
        const session = yield* partner.newSession()
        const stray = yield* strayToken(partner)
        // A session with a large row: a read of it would show.
        yield* partner.progress(session, { progress: { a: "x".repeat(60_000) } })
        /** The database statements of the request, and the size of each row returned. */
        const work = (path: string, token: string) =>
          Effect.gen(function* () {
            const [statements, rows] = [tap.statements().length, tap.rows().length]
            const { status } = yield* ask(route, path, token)
            return {
              status,
              // The service records the key's use at any time, outside the request.
              statements: tap
                .statements()
                .slice(statements)
                .filter(({ text }) => !text.includes("last_used_at")),
              rows: tap.rows().slice(rows)
            }
          })
        // The first request prepares the statements.
        yield* work(unknownPath, stray)
        const unknown = yield* work(unknownPath, stray)
        expect(unknown.status).toBe(404)
        expect(unknown.statements).not.toHaveLength(0)
        for (let i = 0; i < 3; i++) {
          expect(yield* work(session.path, stray)).toStrictEqual(unknown)
          expect(yield* work(unknownPath, stray)).toStrictEqual(unknown)
          expect(yield* work(unknownPath, session.token)).toStrictEqual(unknown)
        }
        // A read of the row would show.
        if (route[1] === "")
          expect(Math.max(...(yield* work(session.path, session.token)).rows)).toBeGreaterThan(60_000)
      })
    )
  }
})
