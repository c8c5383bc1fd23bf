/** The limits of plans (contract.md#plan-limits), called as the gateway calls them. */
import { describe, expect } from "@effect/vitest"
import { Effect, type Redacted } from "effect"
import { longestRetry } from "../../../src/marketplace/limits/model.ts"
import type { Refused, Verdict } from "../../../src/marketplace/limits/service.ts"
import { withoutDatabase } from "../../support/database/outage.ts"
import { eventually } from "../../support/eventually.ts"
import { parseItems } from "../../support/http/structured-fields.ts"
import { MeteredDatabase } from "../../support/marketplace/metered-database.ts"
import { ask, call, calls, metering } from "../../support/marketplace/metering.ts"
import {
  company,
  type PublishedApi,
  subscribed,
  subscription,
  subscriptionKey,
  writtenMonth
} from "../../support/marketplace/rows.ts"
import { execute } from "../../support/postgres.ts"
import { stoppedClock } from "../../support/stopped-clock.ts"
import { suite } from "../../support/suite.ts"

/** `{minute: {r, t}, month: {r, t}}` */
const fields = ({ rateLimit }: Verdict) =>
  Object.fromEntries(parseItems(rateLimit ?? "").map(({ name, parameters }) => [name, parameters]))

const remaining = (verdict: Verdict) =>
  Object.fromEntries(Object.entries(fields(verdict)).map(([name, { r }]) => [name, r]))

const refused = (verdict: Verdict): Refused => {
  if (verdict.over === undefined) throw new Error("It was admitted")
  return verdict
}

const noon = Date.UTC(2026, 10, 20, 12)

suite(MeteredDatabase.layer)((it) => {
  it.scoped("200 concurrent calls at a limit of 100 of either kind: exactly 100 pass", () =>
    Effect.gen(function* () {
      const databaseUrl = yield* MeteredDatabase
      const limits = yield* metering(databaseUrl)
      for (const plan of [{ requestsPerMinute: 100 }, { requestsPerMonth: 100 }]) {
        expect(yield* calls(limits, (yield* subscribed(databaseUrl, plan)).call, 200)).toBe(100)
      }
    })
  )

  describe("requests per minute", () => {
    it.scoped("are counted for all keys of a subscription together, and for each company separately", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const limits = yield* metering(databaseUrl)
        const { api, call: first, subscriptionId } = yield* subscribed(databaseUrl, { requestsPerMinute: 10 })
        const second = yield* subscriptionKey(databaseUrl, api, subscriptionId)
        const other = yield* subscription(databaseUrl, api, yield* company(databaseUrl))
        expect(yield* calls(limits, first, 7)).toBe(7)
        expect(yield* calls(limits, second, 7)).toBe(3)
        expect(yield* calls(limits, yield* subscriptionKey(databaseUrl, api, other), 7)).toBe(7)
      })
    )

    it.scoped("calls with test keys to a sandbox are counted separately, under the same limits", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const limits = yield* metering(databaseUrl)
        const plan = { requestsPerMinute: 10, requestsPerMonth: 5 }
        const { api, call: live, subscriptionId } = yield* subscribed(databaseUrl, plan)
        const test = yield* subscriptionKey(databaseUrl, api, subscriptionId, "test")
        expect(yield* calls(limits, test, 20)).toBe(5)
        expect(remaining(yield* call(limits, live))).toEqual({ minute: 9, month: 4 })
        yield* limits.run("marketplace.usage")
        expect(yield* writtenMonth(databaseUrl, subscriptionId, "sandbox")).toBe(5)
        expect(yield* writtenMonth(databaseUrl, subscriptionId, "live")).toBe(1)
      })
    )

    it.scoped(
      "429 with Retry-After: r counts down, t is never later, and a client that waits is never refused",
      () =>
        Effect.gen(function* () {
          const databaseUrl = yield* MeteredDatabase
          const time = stoppedClock(noon)
          const limits = yield* metering(databaseUrl, {}, time.clock)
          const { call: planned } = yield* subscribed(databaseUrl, { requestsPerMinute: 3 })
          const seen: Array<unknown> = []
          for (let i = 0; i < 3; i++) {
            const verdict = yield* call(limits, planned)
            expect(verdict.rateLimitPolicy).toBe('"minute";q=3;w=60')
            seen.push(remaining(verdict))
            yield* time.pass(5_000)
          }
          expect(seen).toEqual([{ minute: 2 }, { minute: 1 }, { minute: 0 }])
          const { rateLimit, retryAfterSeconds, ...verdict } = refused(yield* call(limits, planned))
          expect(verdict).toEqual({ over: "rate_limited", rateLimitPolicy: '"minute";q=3;w=60' })
          // The first request was 15 s ago, and counts for 60 to 60.25 s.
          expect(retryAfterSeconds).toBeGreaterThanOrEqual(45)
          expect(retryAfterSeconds).toBeLessThanOrEqual(46)
          expect(rateLimit).toBe(`"minute";r=0;t=${retryAfterSeconds}`)

          let refusals = 0
          for (let i = 0; i < 200; i++) {
            const verdict = yield* call(limits, planned)
            // One client waits when it is told to, and the other when nothing remains.
            const wait = verdict.over === undefined ? 0 : verdict.retryAfterSeconds
            if (verdict.over !== undefined) refusals++
            const { r, t } = fields(verdict).minute ?? {}
            yield* time.pass(1_000 * Math.max(wait, r === 0 ? (t ?? 0) : 0))
          }
          // Only the first request: it came right after the refusal above.
          expect(refusals).toBe(1)
        })
    )
  })

  describe("requests per month", () => {
    it.scoped("the count ends with the calendar month (UTC); Retry-After says when, up to a day", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const time = stoppedClock(Date.UTC(2028, 1, 20))
        const limits = yield* metering(databaseUrl, {}, time.clock)
        const { call: planned } = yield* subscribed(databaseUrl, { requestsPerMonth: 2 })
        // February of a leap year.
        const policy = `"month";q=2;w=${29 * 86_400}`
        expect(yield* calls(limits, planned, 5)).toBe(2)

        const early = refused(yield* call(limits, planned))
        expect([early.over, early.retryAfterSeconds, early.rateLimitPolicy]).toEqual([
          "quota_exceeded",
          longestRetry,
          policy
        ])
        expect(fields(early)).toEqual({ month: { r: 0, t: 10 * 86_400 } })

        yield* time.set(Date.UTC(2028, 1, 29, 23, 59, 30))
        const late = refused(yield* call(limits, planned))
        expect([late.retryAfterSeconds, fields(late)]).toEqual([30, { month: { r: 0, t: 30 } }])

        yield* time.set(Date.UTC(2028, 2, 1))
        const next = yield* call(limits, planned)
        expect(next.over).toBeUndefined()
        expect(next.rateLimitPolicy).toBe(`"month";q=2;w=${31 * 86_400}`)
        expect(remaining(next)).toEqual({ month: 1 })
      })
    )

    it.scoped("a call counts in the month in which it began", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const time = stoppedClock(Date.UTC(2026, 10, 30, 23, 59, 59))
        const limits = yield* metering(databaseUrl, {}, time.clock)
        const { call: planned, subscriptionId } = yield* subscribed(databaseUrl, { requestsPerMonth: 10 })
        const old = yield* ask(limits, planned)
        const failed = yield* ask(limits, planned)
        yield* time.set(Date.UTC(2026, 11, 1))
        expect(remaining(yield* call(limits, planned))).toEqual({ month: 9 })
        if (old.over !== undefined || failed.over !== undefined) throw new Error("Refused")
        limits.settle(planned, old, "2xx")
        limits.settle(planned, failed, "gateway_error")
        // The call neither adds to the new month nor takes from it.
        expect(remaining(yield* call(limits, planned))).toEqual({ month: 8 })
        yield* limits.run("marketplace.usage")
        expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(3)
        expect(remaining(yield* call(limits, planned))).toEqual({ month: 7 })
        const rows = yield* execute(
          databaseUrl,
          "select day::text, outcome, calls::int from api_usage where subscription_id = $1 order by day, outcome",
          [subscriptionId]
        )
        expect(rows.slice(0, 2)).toEqual([
          { day: "2026-11-30", outcome: "2xx", calls: 1 },
          { day: "2026-11-30", outcome: "gateway_error", calls: 1 }
        ])
      })
    )

    it.scoped("the count is shared by processes, as of their last write", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const { call: planned, subscriptionId } = yield* subscribed(databaseUrl, { requestsPerMonth: 100 })
        const [first, second] = [yield* metering(databaseUrl), yield* metering(databaseUrl)]
        expect(yield* calls(second, planned, 10)).toBe(10)
        expect(yield* calls(first, planned, 60)).toBe(60)
        for (const limits of [second, first]) yield* limits.run("marketplace.usage")
        expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(70)
        // The second process wrote before the first. Its next write returns the other's calls.
        yield* call(second, planned)
        yield* second.run("marketplace.usage")
        expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(71)
        expect(yield* calls(second, planned, 60)).toBe(29)
      })
    )

    it.scoped("without a database the process counts from its last value, and catches up afterwards", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const { call: planned } = yield* subscribed(databaseUrl, { requestsPerMonth: 100 })
        yield* Effect.scoped(Effect.flatMap(metering(databaseUrl), (limits) => calls(limits, planned, 90)))
        const limits = yield* metering(databaseUrl)
        yield* withoutDatabase(
          { databaseUrl },
          Effect.map(calls(limits, planned, 5), (count) => expect(count).toBe(5))
        )
        yield* eventually(
          "it has heard of the other's calls",
          Effect.map(Effect.zipRight(limits.run("marketplace.usage"), ask(limits, planned)), (verdict) => {
            if (verdict.over === undefined) limits.settle(planned, verdict, "denied")
            return remaining(verdict)
          }),
          ({ month }) => month === 4
        )
        expect(yield* calls(limits, planned, 50)).toBe(5)
      })
    )
  })

  describe("a company that cancels and subscribes again", () => {
    /** Cancels, subscribes again with a plan that has other limits, and returns the new key's calls. */
    const again = (
      databaseUrl: Redacted.Redacted,
      { api, call: { account }, subscriptionId }: Effect.Effect.Success<ReturnType<typeof subscribed>>,
      plan: PublishedApi["plan"]
    ) =>
      Effect.gen(function* () {
        yield* execute(
          databaseUrl,
          "update subscriptions set status = 'cancelled', cancelled_at = now() where id = $1",
          [subscriptionId]
        )
        const renewed = yield* subscription(databaseUrl, api, account.companyId)
        return yield* subscriptionKey(databaseUrl, { ...api, plan }, renewed)
      })

    it.scoped("keeps its counts, under the limits of the new plan", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const limits = yield* metering(databaseUrl)
        const first = yield* subscribed(databaseUrl, { requestsPerMinute: 6, requestsPerMonth: 6 })
        expect(yield* calls(limits, first.call, 4)).toBe(4)
        const same = yield* again(databaseUrl, first, first.api.plan)
        expect(remaining(yield* call(limits, same))).toEqual({ minute: 1, month: 1 })
        const larger = { ...same, requestsPerMinute: 20, requestsPerMonth: 9 }
        expect(remaining(yield* call(limits, larger))).toEqual({ minute: 14, month: 3 })
        const smaller = { ...same, requestsPerMinute: 3, requestsPerMonth: 50 }
        expect(refused(yield* call(limits, smaller)).over).toBe("rate_limited")
        // Calls with the old key count as well: other processes learn of the cancellation within a second.
        expect(remaining(yield* call(limits, { ...first.call, requestsPerMonth: 9 }))).toEqual({
          minute: 0,
          month: 3
        })
      })
    )

    it.scoped(
      "keeps them even after a plan without limits, in this process and in one that starts later",
      () =>
        Effect.gen(function* () {
          const databaseUrl = yield* MeteredDatabase
          const plan = { requestsPerMinute: 60, requestsPerMonth: 50 }
          const first = yield* subscribed(databaseUrl)
          const limited = yield* Effect.scoped(
            Effect.gen(function* () {
              const limits = yield* metering(databaseUrl)
              expect(yield* calls(limits, first.call, 40)).toBe(40)
              const planned = yield* again(databaseUrl, first, plan)
              expect(remaining(yield* call(limits, planned))).toMatchObject({ minute: 19 })
              return planned
            })
          )
          expect(remaining(yield* call(yield* metering(databaseUrl), limited))).toMatchObject({ month: 8 })
        })
    )
  })

  describe("both limits", () => {
    it.scoped("a call that one refuses uses up nothing of the other", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const time = stoppedClock(noon)
        const limits = yield* metering(databaseUrl, {}, time.clock)
        const plan = { requestsPerMinute: 3, requestsPerMonth: 5 }
        const { call: planned } = yield* subscribed(databaseUrl, plan)
        expect(yield* calls(limits, planned, 10)).toBe(3)
        expect(remaining(yield* call(limits, planned))).toEqual({ minute: 0, month: 2 })
        yield* time.pass(61_000)
        expect(yield* calls(limits, planned, 10)).toBe(2)
        const last = refused(yield* call(limits, planned))
        expect([last.over, remaining(last)]).toEqual(["quota_exceeded", { minute: 1, month: 0 }])
        // Both limits are exceeded. The response names the month, since it lasts longer.
        const both = yield* subscribed(databaseUrl, { requestsPerMinute: 1, requestsPerMonth: 1 })
        yield* call(limits, both.call)
        expect(refused(yield* call(limits, both.call)).over).toBe("quota_exceeded")
      })
    )

    it.scoped("a plan without limits has no header fields, and refuses nothing", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const limits = yield* metering(databaseUrl)
        const { call: planned } = yield* subscribed(databaseUrl)
        const verdict = limits.takeNow(planned)
        expect(verdict).toMatchObject({ over: undefined, rateLimit: undefined, rateLimitPolicy: undefined })
        expect(yield* calls(limits, planned, 1_000)).toBe(1_000)
      })
    )
  })
})
