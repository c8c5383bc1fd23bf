/** How calls get into the rows that people see, wherever these are: all of them, once. */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { freshDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { call, calls, type Metering, metering } from "../../support/marketplace/metering.ts"
import { meteringProcess } from "../../support/marketplace/metering-process.ts"
import { subscribed, subscriptionKey, writtenMonth } from "../../support/marketplace/rows.ts"
import { sinks, UsageSink } from "../../support/marketplace/sink.ts"
import { suite } from "../../support/suite.ts"

const write = ({ run }: Metering) => Effect.flatMap(UsageSink, ({ jobs }) => Effect.forEach(jobs, run))

for (const { isMissing, layer, title } of sinks) {
  describe.skipIf(isMissing)(`rows of usage ${title}`, () => {
    suite(layer)("counted", (it) => {
      it.scoped("500 calls are counted as 500, for each key", () =>
        Effect.gen(function* () {
          const databaseUrl = yield* freshDatabase
          const { environment, written } = yield* UsageSink
          const limits = yield* metering(databaseUrl, environment)
          const { api, call: first, subscriptionId } = yield* subscribed(databaseUrl)
          const second = yield* subscriptionKey(databaseUrl, api, subscriptionId)
          yield* calls(limits, first, 200)
          yield* calls(limits, first, 100, "4xx")
          yield* calls(limits, second, 150)
          yield* calls(limits, second, 50, "gateway_error")
          yield* write(limits)
          const all = { "2xx": 350, "4xx": 100, gateway_error: 50 }
          expect(yield* written(databaseUrl, subscriptionId)).toEqual(all)
          expect(yield* written(databaseUrl, subscriptionId, first.keyId)).toEqual({ "2xx": 200, "4xx": 100 })
          expect(yield* written(databaseUrl, subscriptionId, second.keyId)).toEqual({
            "2xx": 150,
            gateway_error: 50
          })
          expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(450)
          // The same keys again: their rows grow.
          yield* calls(limits, first, 10)
          yield* write(limits)
          expect(yield* written(databaseUrl, subscriptionId)).toEqual({ ...all, "2xx": 360 })
        })
      )

      it.scoped("two processes that write the same rows concurrently lose nothing", () =>
        Effect.gen(function* () {
          const databaseUrl = yield* freshDatabase
          const { environment, written } = yield* UsageSink
          const { api, call: first, subscriptionId } = yield* subscribed(databaseUrl)
          const keys = [first]
          for (let i = 0; i < 9; i++) keys.push(yield* subscriptionKey(databaseUrl, api, subscriptionId))
          yield* Effect.scoped(
            Effect.gen(function* () {
              const both = [
                yield* metering(databaseUrl, environment),
                yield* metering(databaseUrl, environment)
              ]
              for (let round = 0; round < 40; round++) {
                for (const limits of both) for (const key of keys) yield* call(limits, key)
                yield* Effect.forEach(both, write, { concurrency: "unbounded" })
              }
            })
          )
          expect(yield* written(databaseUrl, subscriptionId)).toEqual({ "2xx": 800 })
          expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(800)
        })
      )

      it.scoped("a process is stopped by SIGTERM: every call is written", () =>
        Effect.gen(function* () {
          const databaseUrl = yield* freshDatabase
          const { environment, written } = yield* UsageSink
          const { call, subscriptionId } = yield* subscribed(databaseUrl)
          const process = yield* meteringProcess(databaseUrl, environment)
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
    })
  })
}
