/** Two processes that share a limit share it exactly. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { freshDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { redis, withoutRedis } from "../../support/machine/redis.ts"
import { meteringProcess } from "../../support/marketplace/metering-process.ts"
import { subscribed, writtenMonth } from "../../support/marketplace/rows.ts"

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
        yield* eventually("both have answered", () => both.every((process) => process.answers().length === 1))
        const admitted = both.map((process) => process.answers()[0] ?? 0)
        expect(admitted.reduce((a, b) => a + b, 0)).toBe(100)
        for (const process of both) yield* process.end("SIGTERM")
        expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(100)
      })
    )
  }
})
