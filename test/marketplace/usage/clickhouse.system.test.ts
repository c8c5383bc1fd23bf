/** USAGE_SINK=clickhouse while something is wrong: no call waits, limits hold, and no call is lost or counted twice. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { Config } from "../../../src/config.ts"
import * as Database from "../../../src/db/database.ts"
import { definition } from "../../../src/marketplace/usage/clickhouse.ts"
import { UsageBounds } from "../../../src/marketplace/usage/sending-service.ts"
import { UnsentUsage } from "../../../src/marketplace/usage/unsent-service.ts"
import { finding } from "../../support/cli.ts"
import { field, send, signUp } from "../../support/client.ts"
import { proxied } from "../../support/database/tcp-proxy.ts"
import { freshDatabase } from "../../support/database.ts"
import { clickHouse, withoutClickHouse } from "../../support/machine/clickhouse.ts"
import { calls, type Metering, metering } from "../../support/marketplace/metering.ts"
import {
  publish,
  subscribed,
  subscription,
  subscriptionKey,
  written,
  writtenMonth
} from "../../support/marketplace/rows.ts"
import { toClickHouse, writtenThere } from "../../support/marketplace/sink.ts"
import { execute, temporaryFolder } from "../../support/postgres.ts"
import { patient } from "../../support/run/timeouts.ts"
import { startServerOn } from "../../support/server.ts"

const left = (databaseUrl: Redacted.Redacted) =>
  Effect.map(
    execute(
      databaseUrl,
      "select coalesce(sum(jsonb_array_length(rows)), 0)::int as rows from api_usage_unsent"
    ),
    ([row]) => Number(row?.rows)
  )

/** Writes what is counted, and sends its rows to ClickHouse. */
const write = ({ run }: Metering) =>
  Effect.zipRight(run("marketplace.usage"), run("marketplace.usage_sending"))

/** What housekeeping does. */
const sendLeft = (databaseUrl: Redacted.Redacted, environment: Readonly<Record<string, string>>) =>
  Effect.flatMap(UnsentUsage, ({ send }) => send).pipe(
    Effect.provide(
      UnsentUsage.Default.pipe(
        Layer.provide(Database.layer({ url: databaseUrl, maxConnections: 1 })),
        Layer.provide(patient),
        Layer.provide(Config.layer({ ...environment, ROLE: "gateway", DATABASE_URL: "postgres://unused" }))
      )
    ),
    Effect.scoped
  )

describe.skipIf(withoutClickHouse)(
  "usage in ClickHouse (needs chdb: bun install --cwd test/support/clickhouse)",
  () => {
    it.scopedLive("while it is down: limits hold, calls do not wait, and all are stored later, once", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const there = yield* clickHouse
        const { call: planned, subscriptionId } = yield* subscribed(databaseUrl, { requestsPerMonth: 100 })
        const limits = yield* metering(databaseUrl, toClickHouse(there))
        expect(yield* calls(limits, planned, 30)).toBe(30)
        yield* write(limits)
        expect(yield* writtenThere(there, subscriptionId)).toEqual({ "2xx": 30 })
        yield* there.kill
        expect(yield* calls(limits, planned, 90)).toBe(70)
        yield* write(limits)
        // The month that limits the plan is in Postgres.
        expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(100)
        expect(yield* calls(limits, planned, 5)).toBe(0)
        yield* there.start
        yield* write(limits)
        expect(yield* writtenThere(there, subscriptionId)).toEqual({ "2xx": 100, quota_exceeded: 25 })
        expect(yield* written(databaseUrl, subscriptionId)).toEqual({})
      })
    )

    it.scopedLive("rows that are stored although the answer is lost count once", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const there = yield* clickHouse
        const asUrl = (url: string) => Redacted.make(url.replace("http:", "postgres:"))
        const proxy = yield* proxied(asUrl(there.url))
        const { call: planned, subscriptionId } = yield* subscribed(databaseUrl)
        const limits = yield* metering(databaseUrl, {
          ...toClickHouse(there),
          CLICKHOUSE_URL: Redacted.value(proxy.url).replace("postgres:", "http:")
        })
        yield* calls(limits, planned, 10)
        yield* write(limits)
        expect(yield* writtenThere(there, subscriptionId)).toEqual({ "2xx": 10 })
        for (let round = 1; round <= 10; round++) {
          yield* calls(limits, planned, 10)
          const writing = yield* Effect.fork(write(limits))
          yield* proxy.cut
          yield* Fiber.join(writing)
        }
        yield* write(limits)
        expect(yield* writtenThere(there, subscriptionId)).toEqual({ "2xx": 110 })
      })
    )

    it.scopedLive("a process that ends while it is down leaves its rows to others", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const there = yield* clickHouse
        const environment = toClickHouse(there)
        const { call: planned, subscriptionId } = yield* subscribed(databaseUrl)
        yield* there.kill
        yield* Effect.scoped(
          Effect.flatMap(metering(databaseUrl, environment), (limits) => calls(limits, planned, 40))
        )
        expect(yield* left(databaseUrl)).toBe(1)
        expect((yield* Effect.exit(sendLeft(databaseUrl, environment)))._tag).toBe("Failure")
        expect(yield* left(databaseUrl)).toBe(1)
        yield* there.start
        yield* sendLeft(databaseUrl, environment)
        expect(yield* left(databaseUrl)).toBe(0)
        expect(yield* writtenThere(there, subscriptionId)).toEqual({ "2xx": 40 })
      })
    )

    it.scopedLive("memory is bounded: what is more than a process keeps waits in Postgres", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const there = yield* clickHouse
        const environment = toClickHouse(there)
        const { api, call: first, subscriptionId } = yield* subscribed(databaseUrl)
        const keys = [first]
        for (let i = 0; i < 9; i++) keys.push(yield* subscriptionKey(databaseUrl, api, subscriptionId))
        yield* there.kill
        const limits = yield* metering(databaseUrl, environment).pipe(
          Effect.provideService(UsageBounds, { perRequest: 2, stored: 3, unstored: 4 })
        )
        for (let round = 0; round < 3; round++) {
          for (const key of keys) yield* calls(limits, key, 1)
          yield* write(limits)
          expect(yield* left(databaseUrl)).toBeGreaterThanOrEqual(6 * (round + 1))
        }
        yield* there.start
        yield* sendLeft(databaseUrl, environment)
        yield* write(limits)
        expect(yield* writtenThere(there, subscriptionId)).toEqual({ "2xx": 30 })
        // Of more keys than it keeps, again.
        for (const key of keys) yield* calls(limits, key, 1)
        yield* write(limits)
        expect(yield* writtenThere(there, subscriptionId)).toEqual({ "2xx": 40 })
      })
    )

    it.scopedLive("usage from before is shown with it; while it is down, only usage is not shown", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const there = yield* clickHouse
        const environment = toClickHouse(there)
        const server = yield* startServerOn(databaseUrl, environment)
        const [publisher, one, other] = [yield* signUp(server), yield* signUp(server), yield* signUp(server)]
        const api = yield* publish(databaseUrl, publisher.companyId, { requestsPerMonth: 1_000 })
        const ids = [
          yield* subscription(databaseUrl, api, one.companyId),
          yield* subscription(databaseUrl, api, other.companyId)
        ] as const
        const [first, second] = [
          yield* subscriptionKey(databaseUrl, api, ids[0]),
          yield* subscriptionKey(databaseUrl, api, ids[1])
        ]
        const count = (planned: typeof first, some: number, into: Readonly<Record<string, string>>) =>
          Effect.scoped(
            Effect.gen(function* () {
              const limits = yield* metering(databaseUrl, into)
              yield* calls(limits, planned, 1)
              // A row that grows is sent again: ClickHouse has it twice.
              if (into === environment) yield* write(limits)
              yield* calls(limits, planned, some - 1)
            })
          )
        yield* count(first, 5, {})
        yield* count(first, 7, environment)
        yield* count(second, 12, environment)

        const ofApi = () =>
          send(server, "GET", `/api/api-marketplace/apis/${api.apiId}/usage`, {
            headers: { cookie: publisher.cookie }
          })
        const ofOne = send(server, "GET", `/api/api-marketplace/subscriptions/${ids[0]}/usage`, {
          headers: { cookie: one.cookie }
        })
        const whole = (yield* ofApi()).body
        expect(field(whole, "usage", "total", "calls")).toBe(24)
        expect(field(whole, "usage", "total_subscriptions")).toBe(2)
        // Where the rows are makes no difference to what is shown of them.
        const told = ids.map((_, place) => Object(field(whole, "usage", "subscriptions", place)))
        expect(told.map(({ id }) => id)).toEqual(ids)
        expect({ ...told[0], id: ids[1] }).toEqual(told[1])
        const seen = field((yield* ofOne).body, "usage")
        expect(field(seen, "total", "calls")).toBe(12)
        expect(field(seen, "keys", 0, "calls")).toBe(12)
        expect(field(seen, "month", "used")).toBe(12)

        yield* there.kill
        expect((yield* ofOne).status).toBe(500)
        expect((yield* ofOne).body).toEqual({ error: "Failed to load usage" })
        expect((yield* ofApi()).status).toBe(500)
        expect((yield* send(server, "GET", "/readyz")).status).toBe(200)
        yield* there.start
        expect((yield* ofOne).status).toBe(200)
      })
    )

    it.scopedLive("doctor says where usage is, and what is wrong", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const there = yield* clickHouse
        const { call: planned } = yield* subscribed(databaseUrl)
        const environment = {
          DATABASE_URL: Redacted.value(databaseUrl),
          SECRET_KEY: "a secret key for tests, 32 bytes at least",
          DATA_DIR: yield* temporaryFolder
        }
        const usage = (more: Readonly<Record<string, string>>) =>
          Effect.map(finding("usage", { env: { ...environment, ...more } }), (found) => [
            field(found, "status"),
            field(found, "message")
          ])
        const count = Effect.scoped(
          Effect.flatMap(metering(databaseUrl, toClickHouse(there)), (limits) => calls(limits, planned, 1))
        )
        expect(yield* usage({})).toEqual(["ok", "The usage of APIs is stored in Postgres."])
        expect(yield* usage(toClickHouse(there))).toEqual([
          "warning",
          "ClickHouse has no table doorlock_usage yet."
        ])
        yield* count
        expect(yield* usage(toClickHouse(there))).toEqual(["ok", "ClickHouse stores the usage of APIs."])
        yield* there.kill
        yield* count
        expect(yield* usage({})).toEqual(["failed", "1 rows of usage wait for ClickHouse."])
        const [status, message] = yield* usage(toClickHouse(there))
        expect([status, message]).toEqual([
          "failed",
          expect.stringMatching(/^ClickHouse at CLICKHOUSE_URL cannot be used: .+\.$/)
        ])
        yield* there.start
        expect(yield* usage(toClickHouse(there))).toEqual([
          "warning",
          "1 rows of usage wait in Postgres, because ClickHouse took none for long."
        ])
      })
    )
  }
)

it("operations.md shows the table that is created", () => {
  const page = readFileSync("docs/operations.md", "utf8")
  const [, shown = ""] = /```sql\n(create table doorlock_usage [^`]+)```/.exec(page) ?? []
  const words = (text: string) => text.replaceAll(/\s+/g, " ").trim()
  expect(words(shown)).toBe(words(definition.replace("if not exists ", "")))
})
