/** Processes that count calls: one that is stopped writes every call, and two that share a limit share it exactly. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { freshDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { redis, withoutRedis } from "../../support/machine/redis.ts"
import { meteringProcess } from "../../support/marketplace/metering-process.ts"
import { subscribed, written, writtenMonth } from "../../support/marketplace/rows.ts"

describe("a process that counts usage", () => {
  it.scopedLive("is stopped by SIGTERM: every call is written", () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const { call, subscriptionId } = yield* subscribed(databaseUrl)
      const process = yield* meteringProcess(databaseUrl)
      yield* process.order({ call, count: 10_000, paced: 0 })
      yield* eventually(
        "it is at work",
        30_000,
        Effect.sync(() => process.answers().length > 100)
      )
      yield* process.end("SIGTERM")
      const made = process.answers().length
      // It may have been stopped between a call and its telling of it.
      const { "2xx": found } = yield* written(databaseUrl, subscriptionId)
      expect([made, made + 1]).toContain(found)
      expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(found)
    })
  )
})

describe.skipIf(withoutRedis)("two processes and Redis (needs redis-server)", () => {
  for (const plan of [{ requestsPerMinute: 100 }, { requestsPerMonth: 100 }]) {
    const [name] = Object.keys(plan)
    it.scopedLive(`two processes, 200 concurrent calls at a limit of 100 ${name}: exactly 100 pass`, () =>
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
          30_000,
          Effect.sync(() => both.every((process) => process.answers().length === 1))
        )
        const admitted = both.map((process) => process.answers()[0] ?? 0)
        expect(admitted.reduce((a, b) => a + b, 0)).toBe(100)
        for (const process of both) yield* process.end("SIGTERM")
        expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(100)
      })
    )
  }
})
