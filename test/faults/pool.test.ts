/** Every connection to the database is taken by statements that wait for a lock. */
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { connect } from "../../src/db/connection.ts"
import { callableApi } from "../support/callable-api.ts"
import { createSession, onboard, send } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { startServerOn } from "../support/server.ts"

/** Holds the sessions of everybody, until the scope closes. */
const locked = (url: Parameters<typeof connect>[0]) =>
  Effect.flatMap(connect(url), (client) =>
    Effect.acquireRelease(
      Effect.promise(() => client.query("begin; lock table kyc_sessions in access exclusive mode")),
      () => Effect.promise(() => client.query("rollback"))
    )
  )

const seconds = Duration.toSeconds

it.scopedLive(
  "each request is answered its own 500 in bounded time; what needs no database goes on; all is good when the lock is gone",
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const server = yield* startServerOn(databaseUrl, {
        DATABASE_POOL: "2",
        GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true"
      })
      const { instance, key, member, session } = yield* onboard(server)
      const others = yield* Effect.replicateEffect(createSession(server, key.token, instance.id), 100)

      const api = yield* callableApi(server, member)
      const call = send(server, "GET", api.path, { headers: { "x-api-key": api.token } })
      // From now on it is remembered.
      expect((yield* call).status).toBe(200)

      const requests = others.flatMap(({ path, token }) => [
        send(server, "GET", `${path}?token=${token}`),
        send(server, "POST", `${path}/progress`, { json: { token, progress: { a: 1 } } })
      ])
      const quick = Effect.forEach(
        [
          call,
          send(server, "GET", "/healthz"),
          send(server, "GET", "/api/kyc/captcha/challenge?siteKey=x&sessionId=y")
        ],
        (asked) => Effect.timed(asked)
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* locked(databaseUrl)
          const asked = yield* Effect.fork(
            Effect.forEach(requests, (request) => Effect.timed(request), { concurrency: "unbounded" })
          )
          for (let i = 0; i < 100; i++) {
            for (const [elapsed, { status }] of yield* quick) {
              expect(status).toBe(200)
              // Less than anybody waits for a connection.
              expect(seconds(elapsed)).toBeLessThan(2.5)
            }
            yield* Effect.sleep("20 millis")
          }
          const answers = yield* Fiber.join(asked)
          for (const [elapsed, { status, text }] of answers) {
            expect(status).toBe(500)
            expect(['{"error":"Failed to get session"}', '{"error":"Failed to update progress"}']).toContain(
              text
            )
            // A statement is given up after 10.5 s, and nobody waits longer than 3 s for a connection.
            expect(seconds(elapsed)).toBeLessThan(14)
          }
        })
      )
      yield* eventually(
        "good again",
        2_000,
        Effect.map(
          send(server, "GET", `${session.path}?token=${session.token}`),
          ({ status }) => status === 200
        )
      )
      const again = yield* Effect.forEach(requests, (request) => request, { concurrency: 50 })
      expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]))
    }),
  60_000
)

it.scopedLive("a lock that is gone in time: who waits for it is answered well, and so are all others", () =>
  Effect.gen(function* () {
    const databaseUrl = yield* freshDatabase
    const server = yield* startServerOn(databaseUrl, { DATABASE_POOL: "1" })
    const { session } = yield* onboard(server)
    const read = send(server, "GET", `${session.path}?token=${session.token}`)
    const waiting = yield* Effect.scoped(
      Effect.gen(function* () {
        yield* locked(databaseUrl)
        const asked = yield* Effect.fork(Effect.replicateEffect(read, 20, { concurrency: "unbounded" }))
        yield* Effect.sleep("2 seconds")
        return asked
      })
    )
    const answers = yield* Fiber.join(waiting)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })
)
