/** Limits that all processes share in Redis: exact while Redis is available, and bounded while it is not. */
import { describe, expect } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import type { PlannedCall } from "../../../src/marketplace/limits/model.ts"
import type { Verdict } from "../../../src/marketplace/limits/service.ts"
import { productionTimes } from "../../../src/shared/times.ts"
import { eventually } from "../../support/eventually.ts"
import { parseItems } from "../../support/http/structured-fields.ts"
import { redis, withoutRedis } from "../../support/machine/redis.ts"
import { MeteredDatabase } from "../../support/marketplace/metered-database.ts"
import {
  ask,
  asksRedis,
  asksRedisAgain,
  call,
  calls,
  type Metering,
  metering
} from "../../support/marketplace/metering.ts"
import { subscribed, subscription, subscriptionKey } from "../../support/marketplace/rows.ts"
import { execute } from "../../support/postgres.ts"
import { type SteppedClock, steppedClock, stoppedClock } from "../../support/stopped-clock.ts"
import { suite } from "../../support/suite.ts"
import { withTimersOn } from "../../support/timing.ts"

const remaining = ({ rateLimit }: Verdict) =>
  Object.fromEntries(parseItems(rateLimit ?? "").map(({ name, parameters }) => [name, parameters.r]))

/** Calls that ask Redis, which does not reply: they are decided once the clock has been moved by as long as they wait. */
const unanswered = (clock: SteppedClock, limits: Metering, planned: PlannedCall, count: number) =>
  Effect.gen(function* () {
    const asking = yield* Effect.fork(calls(limits, planned, count))
    yield* eventually(
      "they are decided",
      Effect.zipRight(
        clock.pass(productionTimes.timeouts["marketplace.redis"]),
        Effect.map(Fiber.poll(asking), Option.isSome)
      )
    )
    return yield* Fiber.join(asking)
  })

suite(MeteredDatabase.layer)((it) => {
  describe.skipIf(withoutRedis)("limits in Redis (needs redis-server)", () => {
    it.scoped("take from both or neither, give back, and report what remains", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const server = yield* redis
        const limits = yield* metering(databaseUrl, { REDIS_URL: server.url })
        const plan = { requestsPerMinute: 4, requestsPerMonth: 3 }
        const { api, call: planned, subscriptionId } = yield* subscribed(databaseUrl, plan)
        expect(yield* asksRedis(limits, planned)).toBe(true)
        expect(remaining(yield* call(limits, planned, "gateway_error"))).toEqual({ minute: 3, month: 2 })
        expect(remaining(yield* call(limits, planned))).toEqual({ minute: 2, month: 2 })
        expect(remaining(yield* call(limits, planned))).toEqual({ minute: 1, month: 1 })
        const last = yield* call(limits, planned)
        expect([last.over, remaining(last)]).toEqual([undefined, { minute: 0, month: 0 }])
        const over = yield* call(limits, planned)
        expect([over.over, remaining(over)]).toEqual(["quota_exceeded", { minute: 0, month: 0 }])

        const tight = yield* subscribed(databaseUrl, { requestsPerMinute: 1, requestsPerMonth: 5 })
        yield* call(limits, tight.call)
        const refused = yield* call(limits, tight.call)
        expect([refused.over, remaining(refused)]).toEqual(["rate_limited", { minute: 0, month: 4 }])
        if (refused.over !== undefined) expect(refused.retryAfterSeconds).toBeGreaterThan(0)
        // Test keys with a sandbox have their own counts here, too.
        const test = yield* subscriptionKey(databaseUrl, api, subscriptionId, "test")
        expect(remaining(yield* call(limits, test))).toEqual({ minute: 3, month: 2 })
      })
    )

    it.scoped(
      "a company's subscriptions to an API are counted together, also by a plan without limits, and never both get the last call",
      () =>
        Effect.gen(function* () {
          const databaseUrl = yield* MeteredDatabase
          const { url } = yield* redis
          const [one, two] = [
            yield* metering(databaseUrl, { REDIS_URL: url }),
            yield* metering(databaseUrl, { REDIS_URL: url })
          ]
          const { api, call: unlimited, subscriptionId } = yield* subscribed(databaseUrl)
          expect(yield* calls(one, unlimited, 5, "2xx")).toBe(5)
          yield* call(two, unlimited, "gateway_error")
          yield* execute(databaseUrl, "update subscriptions set status = 'cancelled' where id = $1", [
            subscriptionId
          ])
          const renewed = yield* subscription(databaseUrl, api, unlimited.account.companyId)
          const plan = { requestsPerMinute: 50, requestsPerMonth: 20 }
          const planned = yield* subscriptionKey(databaseUrl, { ...api, plan }, renewed)
          expect(remaining(yield* call(two, planned))).toEqual({ minute: 43, month: 14 })
          const old = { ...unlimited, ...plan }
          const admitted = yield* Effect.all([calls(one, old, 30), calls(two, planned, 30)], {
            concurrency: "unbounded"
          })
          expect(admitted[0] + admitted[1]).toBe(14)
        })
    )

    it.scoped("keep all keys under a prefix and with an expiry", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const { send, url } = yield* redis
        const limits = yield* metering(databaseUrl, { REDIS_URL: url })
        const { call: planned } = yield* subscribed(databaseUrl, {
          requestsPerMinute: 5,
          requestsPerMonth: 5
        })
        yield* calls(limits, planned, 10)
        const keys = yield* send("KEYS", "*")
        if (!Array.isArray(keys)) throw new Error("No keys")
        for (const key of keys.map(String)) {
          expect(key).toMatch(/^doorlock:limits:/)
          expect(Number(yield* send("PTTL", key))).toBeGreaterThan(0)
        }
        expect(keys.filter((key) => String(key).includes(planned.account.name)).length).toBe(2)
      })
    )

    it.scoped("the window slides: calls older than a minute are forgotten slot by slot", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const server = yield* redis
        const { send, url } = server
        const limits = yield* metering(databaseUrl, { REDIS_URL: url })
        const { call: planned } = yield* subscribed(databaseUrl, { requestsPerMinute: 10 })
        yield* calls(limits, planned, 4)
        const key = `doorlock:limits:{${planned.account.name}}:minute`
        /** As if calls had come so many slots ago; the oldest first. */
        const came = (...counts: ReadonlyArray<readonly [ago: number, calls: number]>) =>
          Effect.gen(function* () {
            const time = yield* send("TIME")
            const slot = Math.floor((Number(Array.isArray(time) ? time[0] : 0) * 1000) / 250)
            const fields = counts.flatMap(([ago, some]) => [String(slot - ago), String(some)])
            const sum = counts.reduce((all, [, some]) => all + some, 0)
            yield* send("DEL", key)
            yield* send("HSET", key, ...fields, "sum", String(sum), "oldest", String(fields[0]))
          })
        // Two minutes and ten seconds ago. The next call comes less than 50 seconds later, also on a busy machine.
        yield* came([480, 4], [40, 3])
        const verdict = yield* call(limits, planned)
        expect(remaining(verdict)).toEqual({ minute: 6 })
        // The three are a minute old now, but not the last one.
        yield* came([244, 3], [8, 1])
        expect(remaining(yield* call(limits, planned))).toEqual({ minute: 8 })
      })
    )

    it.scoped("the month begins with the stored count, and ends with the calendar month", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const server = yield* redis
        const { call: planned } = yield* subscribed(databaseUrl, { requestsPerMonth: 10 })
        const time = stoppedClock(Date.now())
        yield* Effect.scoped(
          Effect.flatMap(metering(databaseUrl, {}, time.clock), (limits) => calls(limits, planned, 6))
        )
        const limits = yield* metering(databaseUrl, { REDIS_URL: server.url }, time.clock)
        expect(yield* calls(limits, planned, 10)).toBe(4)
        yield* time.pass(32 * 86_400_000)
        expect(yield* calls(limits, planned, 20)).toBe(10)
      })
    )

    it.scoped("a Redis that has lost its data is filled again", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const { send, url } = yield* redis
        const limits = yield* metering(databaseUrl, { REDIS_URL: url })
        const { call: planned } = yield* subscribed(databaseUrl, { requestsPerMonth: 10 })
        expect(yield* calls(limits, planned, 7)).toBe(7)
        yield* send("FLUSHALL")
        yield* send("SCRIPT", "FLUSH")
        expect(yield* calls(limits, planned, 7)).toBe(3)
      })
    )

    it.scoped("Redis stops: the process counts on its own, and returns to Redis by itself", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const server = yield* redis
        const limits = yield* metering(databaseUrl, { REDIS_URL: server.url })
        const { call: planned } = yield* subscribed(databaseUrl, {
          requestsPerMinute: 20,
          requestsPerMonth: 15
        })
        expect(yield* calls(limits, planned, 8)).toBe(8)
        yield* server.kill
        // From its last known count, not from zero.
        expect(yield* calls(limits, planned, 4)).toBe(4)
        expect(remaining(yield* ask(limits, planned))).toEqual({ minute: 7, month: 2 })
        yield* server.start
        yield* asksRedisAgain(limits, planned)
        // Redis has received the calls of the month that it missed.
        expect(yield* calls(limits, planned, 10)).toBe(2)
        expect((yield* call(limits, planned)).over).toBe("quota_exceeded")
      })
    )

    it.scoped(
      "Redis is slow: it still counts each admitted call once, and a limit that is reached stays reached",
      () =>
        Effect.gen(function* () {
          const databaseUrl = yield* MeteredDatabase
          const server = yield* redis
          const environment = { REDIS_URL: server.url }
          const clock = steppedClock()
          const limits = yield* metering(databaseUrl, environment).pipe(
            withTimersOn(clock, ["marketplace.redis"])
          )
          const { call: planned } = yield* subscribed(databaseUrl, { requestsPerMinute: 10 })
          const key = `doorlock:limits:{${planned.account.name}}:minute`
          const counts = (sum: number) =>
            eventually(
              `Redis counts ${sum}`,
              Effect.map(server.send("HGET", key, "sum"), (found) => found === String(sum))
            )
          const other = yield* metering(databaseUrl, environment)
          expect(yield* calls(other, planned, 2)).toBe(2)
          expect(yield* calls(limits, planned, 2)).toBe(2)
          yield* server.pause
          // These wait, and are decided from what Redis has said: two calls of this process and two of another.
          expect(yield* unanswered(clock, limits, planned, 3)).toBe(3)
          // These do not wait.
          expect(yield* calls(limits, planned, 9)).toBe(3)
          yield* server.resume
          yield* counts(10)
          expect(yield* calls(other, planned, 5)).toBe(0)

          // A call that Redis counted late, although it was refused, is taken back.
          yield* server.send("DEL", key)
          yield* server.pause
          expect(yield* unanswered(clock, limits, planned, 1)).toBe(0)
          yield* server.resume
          yield* counts(0)
        })
    )

    it.scoped("a Redis that accepts no writes counts as down", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const server = yield* redis
        const limits = yield* metering(databaseUrl, { REDIS_URL: server.url })
        const { call: planned } = yield* subscribed(databaseUrl, { requestsPerMinute: 10 })
        yield* server.send("REPLICAOF", "127.0.0.1", "1")
        expect(yield* calls(limits, planned, 20)).toBe(10)
        yield* server.send("REPLICAOF", "NO", "ONE")
        yield* asksRedisAgain(limits, planned)
      })
    )
  })
})
