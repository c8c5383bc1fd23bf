/** Usage over HTTP: both views, every row, and that they agree. */

import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { addUp, type Outcome, outcomes } from "../../../src/marketplace/usage/model.ts"
import { type Answer, createKey, field, type Member, send, signUp } from "../../support/client.ts"
import { calls, metering } from "../../support/marketplace/metering.ts"
import { type PublishedApi, publish, subscription, subscriptionKey } from "../../support/marketplace/rows.ts"
import { execute } from "../../support/postgres.ts"
import { type RunningServer, TestServer } from "../../support/server.ts"
import { suite } from "../../support/suite.ts"

const summary = ({ body, status }: Answer) => [status, body]

const utcDay = (millis: number) => new Date(millis).toISOString().slice(0, 10)

/** A publisher with an API, and a subscriber with a live and a test key. */
const market = (server: RunningServer, limits: { readonly requestsPerMonth?: number } = {}) =>
  Effect.gen(function* () {
    const { databaseUrl } = server
    const [publisher, subscriber] = [yield* signUp(server), yield* signUp(server)]
    const api = yield* publish(databaseUrl, publisher.companyId, limits)
    const subscriptionId = yield* subscription(databaseUrl, api, subscriber.companyId)
    const live = yield* subscriptionKey(databaseUrl, api, subscriptionId, "live", "the live key")
    const test = yield* subscriptionKey(databaseUrl, api, subscriptionId, "test", "the test key")
    return { publisher, subscriber, api, subscriptionId, live, test }
  })

const ofSubscription = (server: RunningServer, { cookie }: Member, id: string, query = "") =>
  send(server, "GET", `/api/api-marketplace/subscriptions/${id}/usage${query}`, { headers: { cookie } })

const ofApi = (server: RunningServer, { cookie }: Member, { apiId }: PublishedApi, query = "") =>
  send(server, "GET", `/api/api-marketplace/apis/${apiId}/usage${query}`, { headers: { cookie } })

const counts = (found: Readonly<Record<string, number>>, billed: number) => {
  const all = Object.fromEntries(outcomes.map((outcome) => [outcome, found[outcome] ?? 0]))
  return { calls: Object.values(all).reduce((sum, count) => sum + count, 0), billed, outcomes: all }
}

/** Calls of the past. */
const usage = (
  { databaseUrl }: RunningServer,
  rows: ReadonlyArray<
    readonly [keyId: string, subscriptionId: string, day: string, outcome: Outcome, calls: number]
  >
) =>
  execute(
    databaseUrl,
    `insert into api_usage (key_id, subscription_id, day, outcome, calls)
     select * from unnest($1::uuid[], $2::uuid[], $3::date[], $4::text[], $5::bigint[])`,
    [0, 1, 2, 3, 4].map((column) => rows.map((row) => row[column]))
  )

// `clickhouse` has what is stored there.
suite(TestServer.layer)("usage over HTTP", (it) => {
  it.effect("the subscriber's view: every day, every key, the month", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { live, subscriber, subscriptionId, test } = yield* market(server, {
        requestsPerMonth: 1_000
      })
      yield* usage(server, [
        [live.keyId, subscriptionId, "2026-01-30", "2xx", 1_000],
        [live.keyId, subscriptionId, "2026-01-31", "2xx", 5],
        [live.keyId, subscriptionId, "2026-01-31", "4xx", 2],
        [live.keyId, subscriptionId, "2026-01-31", "denied", 3],
        [test.keyId, subscriptionId, "2026-01-31", "2xx", 7],
        [live.keyId, subscriptionId, "2026-02-02", "5xx", 1],
        [live.keyId, subscriptionId, "2026-02-02", "rate_limited", 9],
        [live.keyId, subscriptionId, "2026-02-03", "2xx", 1_000]
      ])
      const nextMonth = () => {
        const now = new Date()
        return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString()
      }
      const before = nextMonth()
      const answer = yield* ofSubscription(
        server,
        subscriber,
        subscriptionId,
        "?from=2026-01-31&to=2026-02-02"
      )
      // The month may have ended meanwhile.
      const resetsAt = [before, nextMonth()]
      expect(summary(answer)).toStrictEqual([
        200,
        {
          usage: {
            subscription_id: subscriptionId,
            from: "2026-01-31",
            to: "2026-02-02",
            days: [
              { day: "2026-01-31", ...counts({ "2xx": 12, "4xx": 2, denied: 3 }, 7) },
              { day: "2026-02-01", ...counts({}, 0) },
              { day: "2026-02-02", ...counts({ "5xx": 1, rate_limited: 9 }, 1) }
            ],
            total: counts({ "2xx": 12, "4xx": 2, "5xx": 1, denied: 3, rate_limited: 9 }, 8),
            keys: [
              {
                id: live.keyId,
                name: "the live key",
                mode: "live",
                token_prefix: "dk_live_x",
                ...counts({ "2xx": 5, "4xx": 2, "5xx": 1, denied: 3, rate_limited: 9 }, 8)
              },
              {
                id: test.keyId,
                name: "the test key",
                mode: "test",
                token_prefix: "dk_test_x",
                ...counts({ "2xx": 7 }, 0)
              }
            ],
            month: {
              used: 0,
              limit: 1_000,
              resets_at: expect.toSatisfy((instant: string) => resetsAt.includes(instant))
            }
          }
        }
      ])
      expect(answer.headers.get("content-type")).toBe("application/json")
      expect(answer.headers.get("cache-control")).toBe("no-store")
    })
  )

  it.effect("the publisher's view: the same numbers by subscription, with only the subscriber's name", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { api, live, publisher, subscriptionId, test } = yield* market(server)
      yield* usage(server, [
        [live.keyId, subscriptionId, "2026-01-31", "2xx", 5],
        [live.keyId, subscriptionId, "2026-02-01", "gateway_error", 4],
        [test.keyId, subscriptionId, "2026-02-01", "3xx", 2]
      ])
      const answer = yield* ofApi(server, publisher, api, "?from=2026-01-31&to=2026-02-01")
      expect(summary(answer)).toStrictEqual([
        200,
        {
          usage: {
            api_id: api.apiId,
            from: "2026-01-31",
            to: "2026-02-01",
            days: [
              { day: "2026-01-31", ...counts({ "2xx": 5 }, 5) },
              { day: "2026-02-01", ...counts({ "3xx": 2, gateway_error: 4 }, 0) }
            ],
            total: counts({ "2xx": 5, "3xx": 2, gateway_error: 4 }, 5),
            subscriptions: [
              {
                id: subscriptionId,
                status: "active",
                company_name: "Acme",
                plan: { id: api.planId, name: "Starter" },
                ...counts({ "2xx": 5, "3xx": 2, gateway_error: 4 }, 5)
              }
            ],
            total_subscriptions: 1,
            limit: 20,
            offset: 0
          }
        }
      ])
    })
  )

  it.effect("the publisher's view has the subscriptions in pages, and all of them in its total", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { api, publisher } = yield* market(server)
      const ids: Array<string> = []
      for (const calls of [1, 20, 300]) {
        const id = yield* subscription(server.databaseUrl, api, (yield* signUp(server)).companyId)
        const key = yield* subscriptionKey(server.databaseUrl, api, id)
        yield* usage(server, [[key.keyId, id, "2026-03-10", "2xx", calls]])
        ids.push(id)
      }
      const pages = yield* Effect.forEach([0, 2, 4], (offset) =>
        ofApi(server, publisher, api, `?from=2026-03-01&to=2026-03-31&limit=2&offset=${offset}`)
      )
      const seen = pages.map(({ body }) => Object(field(body, "usage", "subscriptions")))
      expect(seen).toMatchObject([
        [
          { id: ids[0], calls: 1 },
          { id: ids[1], calls: 20 }
        ],
        [{ id: ids[2], calls: 300 }],
        []
      ])
      for (const { body } of pages) {
        expect(field(body, "usage", "total_subscriptions")).toBe(3)
        expect(field(body, "usage", "total")).toEqual(counts({ "2xx": 321 }, 321))
      }
    })
  )

  it.scoped("calls appear in both views, and the month is what counts against the plan", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { databaseUrl } = server
      const { api, live, publisher, subscriber, subscriptionId, test } = yield* market(server, {
        requestsPerMonth: 400
      })
      const begun = utcDay(Date.now())
      yield* Effect.scoped(
        Effect.gen(function* () {
          const limits = yield* metering(databaseUrl)
          yield* calls(limits, live, 300)
          yield* calls(limits, live, 50, "gateway_error")
          yield* calls(limits, live, 100, "4xx")
          yield* calls(limits, live, 20)
          yield* calls(limits, test, 30)
        })
      )
      const truth = addUp([
        { mode: "live", outcome: "2xx", calls: 300 },
        { mode: "live", outcome: "gateway_error", calls: 50 },
        { mode: "live", outcome: "4xx", calls: 100 },
        { mode: "live", outcome: "quota_exceeded", calls: 20 },
        { mode: "test", outcome: "2xx", calls: 30 }
      ])
      const query = `?from=${begun}`
      const seen = yield* ofSubscription(server, subscriber, subscriptionId, query)
      expect(field(seen.body, "usage", "total")).toEqual(truth)
      expect(field((yield* ofApi(server, publisher, api, query)).body, "usage", "total")).toEqual(truth)
      expect(field(seen.body, "usage", "month")).toMatchObject({ used: 400, limit: 400 })
      // Another subscription of the company has made no calls; its month has those of the first.
      yield* execute(databaseUrl, "update subscriptions set status = 'cancelled' where id = $1", [
        subscriptionId
      ])
      const renewed = yield* subscription(databaseUrl, api, subscriber.companyId)
      const later = yield* ofSubscription(server, subscriber, renewed, query)
      expect(field(later.body, "usage", "total", "calls")).toBe(0)
      expect(field(later.body, "usage", "month")).toMatchObject({ used: 400, limit: 400 })
    })
  )

  it.effect(
    "a platform key that names usage:read sees what its company's users see; `*` does not include it",
    () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const { api, publisher, subscriber, subscriptionId } = yield* market(server)
        for (const [member, path, other] of [
          [subscriber, `/api/api-marketplace/subscriptions/${subscriptionId}/usage`, publisher],
          [publisher, `/api/api-marketplace/apis/${api.apiId}/usage`, subscriber]
        ] as const) {
          const byKey = (who: Member, scopes: ReadonlyArray<string>) =>
            Effect.flatMap(createKey(server, who, { scopes }), ({ token }) =>
              send(server, "GET", path, { headers: { "x-api-key": token } })
            )
          const expected = yield* send(server, "GET", path, { headers: { cookie: member.cookie } })
          expect(expected.status).toBe(200)
          expect(summary(yield* byKey(member, ["usage:read"]))).toStrictEqual(summary(expected))
          expect((yield* byKey(other, ["usage:read"])).status).toBe(404)
          expect(summary(yield* byKey(member, ["*", "usage"]))).toStrictEqual([
            403,
            { error: "API key does not have the scope usage:read" }
          ])
        }
      })
  )

  it.effect("by default: from the first of the month of `to`, to today", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { subscriber, subscriptionId } = yield* market(server)
      const period = (query: string) =>
        Effect.map(ofSubscription(server, subscriber, subscriptionId, query), ({ body }) => [
          field(body, "usage", "from"),
          field(body, "usage", "to"),
          field(body, "usage", "days", "length")
        ])
      // The day may end during the test.
      const today = utcDay(Date.now())
      const isToday = (day: unknown) => expect([today, utcDay(Date.now())]).toContain(day)
      const [from, to] = yield* period("")
      isToday(to)
      expect(from).toBe(`${String(to).slice(0, 8)}01`)
      expect(yield* period("?to=2026-02-27")).toEqual(["2026-02-01", "2026-02-27", 27])
      const earlier = utcDay(Date.now() - 86_400_000 * 5)
      const [, end, days] = yield* period(`?from=${earlier}`)
      isToday(end)
      expect(days).toBe((Date.parse(String(end)) - Date.parse(earlier)) / 86_400_000 + 1)
      expect(yield* period("?from=2028-02-01&to=2028-02-29")).toEqual(["2028-02-01", "2028-02-29", 29])
      expect(yield* period("?from=2027-03-01&to=2028-02-29")).toEqual(["2027-03-01", "2028-02-29", 366])
      expect(yield* period("?from=0001-01-01&to=0001-01-02")).toEqual(["0001-01-01", "0001-01-02", 2])
      expect(yield* period("?from=9999-12-30&to=9999-12-31")).toEqual(["9999-12-30", "9999-12-31", 2])
    })
  )

  it.effect("400 names the field, before the resource is looked for", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { cookie } = yield* signUp(server)
      const api = `apis/${crypto.randomUUID()}`
      const subscription = `subscriptions/${crypto.randomUUID()}`
      const aDay = "must be a day, YYYY-MM-DD"
      for (const [path, query, message] of [
        ...["2026-02-29", "2026-13-01", "2026-1-1", "2026-01-01T00:00:00Z", ""].map(
          (day) => [api, `from=${day}`, `from ${aDay}`] as const
        ),
        [subscription, "from=x&to=x", `from ${aDay}`],
        [subscription, "to=0000-01-01", `to ${aDay}`],
        [subscription, "from=2026-01-01&from=2026-01-02", `from ${aDay}`],
        [api, "from=2026-01-02&to=2026-01-01", "from must not be after to"],
        [api, "from=9999-01-01", "from must not be after to"],
        [api, "from=2027-01-01&to=2028-01-02", "from must be less than 366 days before to"],
        ...["0", "101", "x", ""].map(
          (limit) => [api, `limit=${limit}`, "limit must be a whole number from 1 to 100"] as const
        ),
        ...["-1", "0.5", "1000001"].map(
          (offset) => [api, `offset=${offset}`, "offset must be a whole number from 0 to 1000000"] as const
        )
      ] as const) {
        const answer = yield* send(server, "GET", `/api/api-marketplace/${path}/usage?${query}`, {
          headers: { cookie }
        })
        expect(summary(answer), query).toStrictEqual([400, { error: message }])
      }
    })
  )

  it.effect("404 for anyone but the subscriber or the publisher; each sees only its own side", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { api, publisher, subscriber, subscriptionId } = yield* market(server)
      const stranger = yield* signUp(server)
      const noSubscription = [404, { error: "Subscription not found" }]
      const noApi = [404, { error: "API not found" }]
      for (const member of [publisher, stranger]) {
        expect(summary(yield* ofSubscription(server, member, subscriptionId))).toStrictEqual(noSubscription)
      }
      for (const member of [subscriber, stranger]) {
        expect(summary(yield* ofApi(server, member, api))).toStrictEqual(noApi)
      }
      for (const id of [crypto.randomUUID(), "x", "%00"]) {
        expect(summary(yield* ofSubscription(server, subscriber, id))).toStrictEqual(noSubscription)
        expect(summary(yield* ofApi(server, publisher, { ...api, apiId: id }))).toStrictEqual(noApi)
      }
      // Cancelled and taken down, it keeps its earlier usage.
      yield* execute(server.databaseUrl, "update subscriptions set status = 'cancelled' where id = $1", [
        subscriptionId
      ])
      yield* execute(server.databaseUrl, "update apis set status = 'draft' where id = $1", [api.apiId])
      expect((yield* ofSubscription(server, subscriber, subscriptionId.toUpperCase())).status).toBe(200)
      expect((yield* ofApi(server, publisher, api)).status).toBe(200)
    })
  )
})
