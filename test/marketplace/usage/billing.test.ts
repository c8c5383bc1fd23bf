/** What is billed, row by row: in the month's count, in the table, in both views. */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Verdict } from "../../../src/marketplace/limits/service.ts"
import { addUp, type Outcome, outcomes, upstreamOutcome } from "../../../src/marketplace/usage/model.ts"
import { freshDatabase } from "../../support/database.ts"
import { parseItems } from "../../support/http/structured-fields.ts"
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
    [402, "4xx"],
    [403, "denied"],
    [429, "denied"],
    [499, "4xx"],
    [500, "5xx"],
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

interface Case {
  readonly written: Readonly<Record<string, unknown>>
  readonly month: unknown
  /** What remained of the month and of the minute right after the call, and once it was written. */
  readonly after: Verdict
  readonly later: Verdict
}

/** One call of each outcome that a limit does not decide, each with its own subscription. */
class Cases extends Context.Tag("Cases")<Cases, ReadonlyMap<Outcome, Case>>() {
  static readonly layer = Layer.scoped(
    Cases,
    Effect.orDie(
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        // No minute ends between two looks.
        const limits = yield* metering(databaseUrl, {}, stoppedClock().clock)
        const plan = { requestsPerMinute: 10, requestsPerMonth: 10 }
        const made = yield* Effect.forEach(outcomes, (outcome) =>
          Effect.gen(function* () {
            if (outcome === "rate_limited" || outcome === "quota_exceeded") return []
            const { call: planned, subscriptionId } = yield* subscribed(databaseUrl, plan)
            yield* call(limits, planned, outcome)
            return [{ outcome, planned, subscriptionId, after: yield* ask(limits, planned) }]
          })
        )
        yield* limits.run("marketplace.usage")
        const entries = yield* Effect.forEach(made.flat(), ({ after, outcome, planned, subscriptionId }) =>
          Effect.gen(function* () {
            const found = {
              written: yield* written(databaseUrl, subscriptionId),
              month: yield* writtenMonth(databaseUrl, subscriptionId),
              after,
              later: yield* ask(limits, planned)
            }
            return [outcome, found] as const
          })
        )
        return new Map(entries)
      })
    )
  )
}

suite(Cases.layer)("one admitted call", (it) => {
  for (const [outcome, bill] of rows) {
    if (outcome === "rate_limited" || outcome === "quota_exceeded") continue
    it.effect(
      `${outcome}: ${bill}; the month keeps ${bill === "billed" ? "it" : "nothing"}, the minute always`,
      () =>
        Effect.gen(function* () {
          const found = (yield* Cases).get(outcome)
          if (found === undefined) throw new Error(`No call was ${outcome}`)
          const kept = bill === "billed" ? 1 : 0
          expect(found.written).toEqual({ [outcome]: 1 })
          expect(found.month).toBe(kept)
          const remaining = ({ rateLimit }: Verdict) =>
            parseItems(rateLimit ?? "").map(({ name, parameters: { r } }) => [name, r])
          // The call that asks takes one as well.
          expect(remaining(found.after)).toEqual([
            ["minute", 8],
            ["month", 9 - kept]
          ])
          // What is written is not counted once more.
          expect(remaining(found.later)).toEqual([
            ["minute", 7],
            ["month", 8 - kept]
          ])
        })
    )
  }
})

describe("one call refused by a limit", () => {
  it.scopedLive.each([
    ["rate_limited", { requestsPerMinute: 1 }],
    ["quota_exceeded", { requestsPerMonth: 1 }]
  ] as const)("%s: not billed", ([outcome, plan]) =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const { call: planned, subscriptionId } = yield* subscribed(databaseUrl, plan)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const limits = yield* metering(databaseUrl)
          for (let i = 0; i < 3; i++) yield* call(limits, planned)
        })
      )
      expect(yield* written(databaseUrl, subscriptionId)).toEqual({ "2xx": 1, [outcome]: 2 })
      expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(1)
    })
  )
})
