/** What is billed, row by row: in the month's count, in the table, in both views. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Verdict } from "../../../src/marketplace/limits/service.ts"
import { addUp, type Outcome, outcomes, upstreamOutcome } from "../../../src/marketplace/usage/model.ts"
import { parseItems } from "../../support/http/structured-fields.ts"
import { MeteredDatabase } from "../../support/marketplace/metered-database.ts"
import { ask, call, metering } from "../../support/marketplace/metering.ts"
import { subscribed, written, writtenMonth } from "../../support/marketplace/rows.ts"
import { stoppedClock } from "../../support/stopped-clock.ts"
import { suite } from "../../support/suite.ts"

const rows: ReadonlyArray<readonly [Outcome, "billed" | "not billed"]> = [
  ["2xx", "billed"],
  ["3xx", "billed"],
  ["4xx", "billed"],
  ["5xx", "billed"],
  ["denied", "not billed"],
  ["client_closed", "billed"],
  ["gateway_error", "not billed"],
  ["rate_limited", "not billed"],
  ["quota_exceeded", "not billed"]
]

it("the table below is about every outcome", () => {
  expect(rows.map(([outcome]) => outcome)).toEqual(outcomes)
})

describe("an upstream's answer", () => {
  it.each([
    [101, "2xx"],
    [299, "2xx"],
    [300, "3xx"],
    [399, "3xx"],
    [400, "4xx"],
    [401, "denied"],
    [403, "denied"],
    [429, "denied"],
    [499, "4xx"],
    [500, "5xx"],
    [599, "5xx"],
    [999, "5xx"]
  ] as const)("%i is %s", (status, outcome) => {
    expect(upstreamOutcome(status)).toBe(outcome)
  })
})

describe("totals", () => {
  it.each(rows)("%s is %s for live keys; for test keys nothing is", (outcome, bill) => {
    const counted = (mode: "live" | "test") => addUp([{ outcome, mode, calls: 3 }])
    expect([counted("live").calls, counted("live").billed]).toEqual([3, bill === "billed" ? 3 : 0])
    expect([counted("test").calls, counted("test").billed]).toEqual([3, 0])
    expect(counted("live").outcomes[outcome]).toBe(3)
  })
})

const remaining = ({ rateLimit }: Verdict) =>
  parseItems(rateLimit ?? "").map(({ name, parameters: { r } }) => [name, r])

suite(MeteredDatabase.layer)("one call", (it) => {
  it.scoped("the month keeps it if it is billed, and the minute always", () =>
    Effect.gen(function* () {
      const databaseUrl = yield* MeteredDatabase
      // No minute ends between two looks.
      const limits = yield* metering(databaseUrl, {}, stoppedClock().clock)
      for (const [outcome, bill] of rows) {
        if (outcome === "rate_limited" || outcome === "quota_exceeded") continue
        const plan = { requestsPerMinute: 10, requestsPerMonth: 10 }
        const { call: planned, subscriptionId } = yield* subscribed(databaseUrl, plan)
        yield* call(limits, planned, outcome)
        const kept = bill === "billed" ? 1 : 0
        // The call that asks takes one as well.
        expect([outcome, remaining(yield* ask(limits, planned))]).toEqual([
          outcome,
          [
            ["minute", 8],
            ["month", 9 - kept]
          ]
        ])
        yield* limits.run("marketplace.usage")
        expect(yield* written(databaseUrl, subscriptionId)).toEqual({ [outcome]: 1 })
        expect([outcome, yield* writtenMonth(databaseUrl, subscriptionId)]).toEqual([outcome, kept])
        // What is written is not counted once more.
        expect(remaining(yield* ask(limits, planned))).toEqual([
          ["minute", 7],
          ["month", 8 - kept]
        ])
      }
    })
  )
})
