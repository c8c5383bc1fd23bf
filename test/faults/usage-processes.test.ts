/** Processes that count: what of the usage outlives one (research L-7), and two that share their limits (L-3). */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { subscribed, written, writtenMonth } from "../support/marketplace.ts"
import { calls, metering } from "../support/metering.ts"
import { meteringProcess } from "../support/metering-process.ts"
import { redis, withoutRedis } from "../support/redis.ts"

describe("a process that counts", () => {
  it.scopedLive(
    "is stopped by SIGTERM: every call is written",
    () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const { call, subscriptionId } = yield* subscribed(databaseUrl)
        const process = yield* meteringProcess(databaseUrl)
        yield* process.order({ call, count: 10_000, paced: 0 })
        yield* eventually(
          "it is at work",
          10_000,
          Effect.sync(() => process.answers().length > 100)
        )
        yield* process.end("SIGTERM")
        const made = process.answers().length
        // It may have been stopped between a call and its telling of it.
        const { "2xx": found } = yield* written(databaseUrl, subscriptionId)
        expect([made, made + 1]).toContain(found)
        expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(found)
      }),
    60_000
  )

  it.scopedLive(
    "is killed: what is lost are calls of the last second and of the write under way, no more",
    () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const { call, subscriptionId } = yield* subscribed(databaseUrl, { requestsPerMonth: 100_000 })
        const process = yield* meteringProcess(databaseUrl)
        yield* process.order({ call, count: 10_000, paced: 10 })
        const marks: Array<{ readonly at: number; readonly made: number }> = []
        const begun = performance.now()
        while (performance.now() - begun < 4_000) {
          marks.push({ at: performance.now(), made: process.answers().length })
          yield* Effect.sleep("20 millis")
        }
        yield* process.end("SIGKILL")
        const ended = performance.now()
        const made = process.answers().length
        const { "2xx": found = 0 } = yield* written(databaseUrl, subscriptionId)
        // All that was made two seconds before the end: the second of a batch, and one more for its writing.
        const kept = marks.findLast(({ at }) => ended - at > 2_000)?.made ?? 0
        expect(kept).toBeGreaterThan(50)
        expect(Number(found)).toBeGreaterThanOrEqual(kept)
        expect(Number(found)).toBeLessThanOrEqual(made + 1)
        // And the next process goes on from what is written.
        expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(found)
        yield* Effect.scoped(Effect.flatMap(metering(databaseUrl), (limits) => calls(limits, call, 10)))
        expect(yield* written(databaseUrl, subscriptionId)).toEqual({ "2xx": Number(found) + 10 })
      }),
    60_000
  )
})

describe.skipIf(withoutRedis)("two processes and Redis", () => {
  for (const plan of [{ requestsPerMinute: 100 }, { requestsPerMonth: 100 }]) {
    const [name] = Object.keys(plan)
    it.scopedLive(
      `two processes, 200 parallel calls at a limit of 100 ${name}: exactly 100 pass`,
      () =>
        Effect.gen(function* () {
          const databaseUrl = yield* freshDatabase
          const { url } = yield* redis
          const { call: planned, subscriptionId } = yield* subscribed(databaseUrl, plan)
          const both = yield* Effect.all(
            [
              meteringProcess(databaseUrl, { REDIS_URL: url }),
              meteringProcess(databaseUrl, { REDIS_URL: url })
            ],
            { concurrency: 2 }
          )
          for (const process of both) yield* process.order({ call: planned, count: 100 })
          yield* eventually(
            "both have answered",
            15_000,
            Effect.sync(() => both.every((process) => process.answers().length === 1))
          )
          const admitted = both.map((process) => process.answers()[0] ?? 0)
          expect(admitted.reduce((a, b) => a + b, 0)).toBe(100)
          for (const process of both) yield* process.end("SIGTERM")
          expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(100)
        }),
      60_000
    )
  }
})
