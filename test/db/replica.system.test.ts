/** `DATABASE_READ_URL`: some reads use a standby, and nobody misses a change that was answered before. */
import * as SqlClient from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { standby } from "../../src/cli/checks/replication.ts"
import { Replica } from "../../src/db/replica.ts"
import { orDie } from "../../src/db/sql.ts"
import { createInstance, createKey, createSession, send, signUp } from "../support/client.ts"
import { routes } from "../support/contract.ts"
import { proxied } from "../support/database/tcp-proxy.ts"
import { eventually } from "../support/eventually.ts"
import { postgresPrograms, replicated } from "../support/machine/standby.ts"
import { execute } from "../support/postgres.ts"
import { type RunningServer, startServerOn } from "../support/server.ts"
import { withTimes } from "../support/timing.ts"

/** How many reads each server has answered, of all services in this process. */
const answered = (server: RunningServer, by: "standby" | "primary") =>
  Effect.map(send(server, "GET", "/metrics"), ({ text }) =>
    Number(new RegExp(`^doorlock_standby_reads_total\\{server="${by}"[^}]*\\} (\\d+)$`, "m").exec(text)?.[1])
  )

describe.skipIf(postgresPrograms === undefined)("with a standby (needs postgresql)", () => {
  it.scopedLive(
    "reads use it once it has everything that was answered, also by other processes; otherwise, and while it is away, the primary",
    () =>
      Effect.gen(function* () {
        const { pause, resume, standbyUrl, stopStandby, url } = yield* replicated
        const link = yield* proxied(standbyUrl)
        const environment = { DATABASE_READ_URL: Redacted.value(link.url) }
        const start = startServerOn(url, environment).pipe(
          withTimes({ timeouts: { "db.standby": 500 }, pauses: { "db.standby_rest": 100 } })
        )
        const [one, other] = [yield* start, yield* start]
        const member = yield* signUp(one)
        const instance = yield* createInstance(one, member)
        const key = yield* createKey(one, member)
        const list = (server: RunningServer) =>
          Effect.map(
            send(server, "GET", "/api/kyc/sessions", { headers: { "x-api-key": key.token } }),
            ({ body }) =>
              (body as { readonly sessions: ReadonlyArray<{ readonly id: string }> }).sessions.map(
                ({ id }) => id
              )
          )
        const readsBy = (by: "standby" | "primary") =>
          Effect.gen(function* () {
            const before = yield* answered(other, by)
            yield* list(other)
            return (yield* answered(other, by)) > before
          })
        const expected: Array<string> = []
        const create = Effect.map(createSession(one, key.token, instance.id), ({ id }) =>
          expected.unshift(id)
        )

        // Written by one process, read at once by the other.
        for (let count = 0; count < 10; count++) {
          yield* create
          expect(yield* list(other)).toEqual(expected)
        }
        yield* eventually("the standby answers", readsBy("standby"))

        const doctor = (readUrl: Redacted.Redacted<string>) => standby({ url, migrator: { url }, readUrl })
        expect(yield* doctor(url)).toMatchObject({ status: "warning" })
        yield* eventually(
          "doctor finds a standby",
          Effect.map(doctor(standbyUrl), (found) => found?.status === "ok")
        )
        yield* pause
        yield* create
        expect(yield* list(other)).toEqual(expected)
        expect(yield* list(one)).toEqual(expected)
        expect(yield* readsBy("primary")).toBe(true)
        yield* eventually(
          "doctor says that it lags",
          Effect.map(
            doctor(standbyUrl),
            (found) =>
              found?.status === "warning" && /^The standby for reads is \S+ s behind\.$/.test(found.message)
          )
        )
        const read = yield* send(other, "GET", `/api/kyc/sessions/${expected[0]}`, {
          headers: { "x-api-key": key.token }
        })
        expect(read.status).toBe(200)
        yield* resume
        yield* eventually("the standby answers again", readsBy("standby"))
        const absent = yield* send(other, "GET", `/api/kyc/sessions/${crypto.randomUUID()}`, {
          headers: { "x-api-key": key.token }
        })
        expect([absent.status, absent.body]).toEqual([404, { error: "Session not found" }])

        // What writes after all is refused by the standby, and done on the primary.
        const [{ reading }, sql] = [
          Context.get(other.services, Replica),
          Context.get(other.services, SqlClient.SqlClient)
        ]
        yield* reading(orDie(sql`create table once (id int)`))
        expect(yield* sql`select * from once`).toEqual([])

        yield* link.hold
        yield* create
        expect(yield* list(other)).toEqual(expected)
        yield* link.release
        yield* eventually("the standby answers after it hung", readsBy("standby"))

        yield* stopStandby
        yield* create
        expect(yield* list(other)).toEqual(expected)
        expect(yield* readsBy("primary")).toBe(true)
      })
  )

  it.scopedLive("a former leader that has more log than the present one shows nothing old", () =>
    Effect.gen(function* () {
      const { demote, promote, standbyUrl, url } = yield* replicated
      const former = yield* startServerOn(url)
      const member = yield* signUp(former)
      const instance = yield* createInstance(former, member)
      const key = yield* createKey(former, member)
      const ofKey = "select from api_keys where id = $1"
      yield* eventually(
        "the standby has the key",
        Effect.map(
          Effect.catchAll(execute(standbyUrl, ofKey, [key.id]), () => Effect.succeed([])),
          ({ length }) => length === 1
        )
      )
      yield* promote
      // What only the former leader has.
      yield* execute(url, "create table lost as select generate_series(1, 200000)")
      yield* demote
      const server = yield* startServerOn(standbyUrl, { DATABASE_READ_URL: Redacted.value(url) })
      const position = (of: typeof url, expression: string) =>
        Effect.map(execute(of, `select (${expression} - '0/0')::float8 as bytes`), ([row]) =>
          Number(row?.bytes)
        )
      const { id } = yield* createSession(server, key.token, instance.id)
      // The replica that lost is ahead of all that the leader writes here. It may still replay that.
      yield* eventually(
        "the former leader is ahead",
        Effect.zipWith(
          position(url, "pg_last_wal_replay_lsn()"),
          position(standbyUrl, "pg_current_wal_lsn()"),
          (former, leader) => former > leader
        )
      )
      const before = yield* answered(server, "primary")
      const read = yield* send(server, "GET", `/api/kyc/sessions/${id}`, {
        headers: { "x-api-key": key.token }
      })
      expect(read.status).toBe(200)
      expect(yield* answered(server, "primary")).toBe(before + 1)
    })
  )
})

it("only routes that read may use a standby, and none of keys, gateway or end users", () => {
  const marked = routes.filter(({ metadata }) => metadata?.fromStandby === true)
  expect(marked.map(({ name }) => name).sort()).toEqual([
    "GET /api/api-marketplace/apis/:id/usage",
    "GET /api/api-marketplace/subscriptions/:id/usage",
    "GET /api/audit-events",
    "GET /api/kyc/instances/:id/funnel",
    "GET /api/kyc/overview",
    "GET /api/kyc/sessions",
    "GET /api/kyc/sessions/:id",
    "GET /api/kyc/sessions/:id/timeline"
  ])
})
