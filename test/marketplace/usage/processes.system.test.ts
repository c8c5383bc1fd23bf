/** How the calls of several processes, and of one that ends, get into the rows that people see: all of them, once. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { freshDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { call, metering } from "../../support/marketplace/metering.ts"
import { meteringProcess } from "../../support/marketplace/metering-process.ts"
import { subscribed, subscriptionKey, written, writtenMonth } from "../../support/marketplace/rows.ts"

it.scopedLive("two processes that write the same rows concurrently lose nothing", () =>
  Effect.gen(function* () {
    const databaseUrl = yield* freshDatabase
    const { api, call: first, subscriptionId } = yield* subscribed(databaseUrl)
    const keys = [first]
    for (let i = 0; i < 9; i++) keys.push(yield* subscriptionKey(databaseUrl, api, subscriptionId))
    yield* Effect.scoped(
      Effect.gen(function* () {
        const both = [yield* metering(databaseUrl), yield* metering(databaseUrl)]
        for (let round = 0; round < 40; round++) {
          for (const limits of both) for (const key of keys) yield* call(limits, key)
          yield* Effect.forEach(both, ({ run }) => run("marketplace.usage"), { concurrency: "unbounded" })
        }
      })
    )
    expect(yield* written(databaseUrl, subscriptionId)).toEqual({ "2xx": 800 })
    expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(800)
  })
)

it.scopedLive("a process is stopped by SIGTERM: every call is written", () =>
  Effect.gen(function* () {
    const databaseUrl = yield* freshDatabase
    const { call, subscriptionId } = yield* subscribed(databaseUrl)
    const process = yield* meteringProcess(databaseUrl)
    yield* process.order({ call, count: 10_000, paced: 0 })
    yield* eventually("it is at work", () => process.answers().length > 100)
    yield* process.end("SIGTERM")
    const made = process.answers().length
    // It may have been stopped between a call and its telling of it.
    const { "2xx": found } = yield* written(databaseUrl, subscriptionId)
    expect([made, made + 1]).toContain(found)
    expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(found)
  })
)
