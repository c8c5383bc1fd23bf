/** Statements that wait for a lock take every database connection. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { connect } from "../../src/db/connection.ts"
import { type Answer, createSession, onboard, send } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { metricsOf } from "../support/http/metrics.ts"
import { callableApi } from "../support/marketplace/callable-api.ts"
import { execute } from "../support/postgres.ts"
import { startServerOn } from "../support/server.ts"
import { withTimes } from "../support/timing.ts"

/** Locks all sessions until the scope closes. */
const locked = (url: Parameters<typeof connect>[0]) =>
  Effect.flatMap(connect(url), (client) =>
    Effect.acquireRelease(
      Effect.promise(() => client.query("begin; lock table kyc_sessions in access exclusive mode")),
      () => Effect.promise(() => client.query("rollback"))
    )
  )

/** Waits until this many statements wait for the lock. */
const lockedOut = (url: Parameters<typeof connect>[0], statements: number) =>
  eventually(
    `${statements} statements wait for the lock`,
    Effect.map(
      execute(
        url,
        "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
      ),
      (rows) => rows.length === statements
    )
  )

// One after the other: the figures of a process are of all its servers together.
describe("statements wait for a lock", () => {
  it.scopedLive(
    "on every connection: each request gets its route's own 500; requests without the database still work; recovery when the lock is gone",
    () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const server = yield* startServerOn(databaseUrl, {
          DATABASE_POOL: "2",
          GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true"
        }).pipe(
          // Production's. Keys are remembered, however late a heartbeat is.
          withTimes({ timeouts: { "db.connect": 3_000, "db.statement": 10_000 } })
        )
        const { instance, key, member, session } = yield* onboard(server)
        const others = yield* Effect.replicateEffect(createSession(server, key.token, instance.id), 100)

        const api = yield* callableApi(server, member)
        const call = send(server, "GET", api.path, { headers: { "x-api-key": api.token } })
        expect((yield* call).status, "the first call, by which the key is remembered").toBe(200)

        const requests = others.flatMap(({ path, token }) => [
          send(server, "GET", `${path}?token=${token}`),
          send(server, "POST", `${path}/progress`, { json: { token, progress: { a: 1 } } })
        ])
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* locked(databaseUrl)
            const asked = yield* Effect.fork(
              Effect.forEach(requests, (request) => request, { concurrency: "unbounded" })
            )
            yield* lockedOut(databaseUrl, 2)
            // With all connections taken, what waited for one of them would fail as all others do.
            for (let times = 0; times < 20; times++) {
              const quick = yield* Effect.all([
                call,
                send(server, "GET", "/healthz"),
                send(server, "GET", "/api/kyc/captcha/challenge?siteKey=x&sessionId=y")
              ])
              expect(
                quick.map(({ status }) => status),
                "a call by a remembered key, /healthz and a captcha's challenge need no database"
              ).toEqual([200, 200, 200])
            }
            const answers = yield* Fiber.join(asked)
            const different = new Set(answers.map(({ status, text }) => `${status} ${text}`))
            expect(different, "what requests are answered while the lock is held").toEqual(
              new Set(['500 {"error":"Failed to get session"}', '500 {"error":"Failed to update progress"}'])
            )
          })
        )
        yield* eventually(
          "requests succeed again",
          Effect.map(
            send(server, "GET", `${session.path}?token=${session.token}`),
            ({ status }) => status === 200
          )
        )
        const again = yield* Effect.forEach(requests, (request) => request, { concurrency: 50 })
        expect(new Set(again.map(({ status }) => status)), "after the lock").toEqual(new Set([200]))
      })
  )

  it.scopedLive(
    "and the lock is soon released: the requests that waited for it succeed, and those queued behind them too",
    () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const server = yield* startServerOn(databaseUrl, { DATABASE_POOL: "1" })
        const { session } = yield* onboard(server)
        const read = send(server, "GET", `${session.path}?token=${session.token}`)
        const waiting = yield* Effect.scoped(
          Effect.gen(function* () {
            yield* locked(databaseUrl)
            const first = yield* Effect.fork(read)
            yield* lockedOut(databaseUrl, 1)
            // What comes soon after the first goes onto the wire behind it; what comes later waits for the connection.
            const behind: Array<Fiber.RuntimeFiber<Answer>> = []
            yield* eventually(
              "some wait for the connection",
              Effect.gen(function* () {
                behind.push(yield* Effect.forkDaemon(read))
                return ((yield* metricsOf(server)).value("doorlock_database_waiting") ?? 0) > 0
              })
            )
            return { first, behind }
          })
        )
        const answers = yield* Fiber.join(Fiber.all([waiting.first, ...waiting.behind]))
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      })
  )
})
