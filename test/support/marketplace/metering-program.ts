/**
 * A program that runs limits and usage, for tests in which a process dies or two processes compete. Input
 * lines request calls; output lines count them.
 */
import { createInterface } from "node:readline"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import { Effect, Layer, Redacted } from "effect"
import type { PlannedCall } from "../../../src/marketplace/limits/model.ts"
import { PlanLimits } from "../../../src/marketplace/limits/service.ts"
import { call, calls, meteringLayer } from "./metering.ts"

/** An input line. `paced` makes calls one by one at that interval in milliseconds and reports each. */
export interface Order {
  readonly call: PlannedCall
  readonly count: number
  readonly paced?: number
}

const say = (admitted: number) => Effect.sync(() => void process.stdout.write(`${admitted}\n`))

const program = Effect.gen(function* () {
  const limits = yield* PlanLimits
  process.stdout.write("ready\n")
  const orders = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  while (true) {
    const line = yield* Effect.promise(() => orders.next())
    if (line.done === true) return
    // The test itself wrote the line, so it needs no validation.
    const { call: planned, count, paced }: Order = JSON.parse(line.value)
    if (paced === undefined) {
      yield* Effect.flatMap(calls(limits, planned, count), say)
    } else {
      for (let i = 0; i < count; i++) {
        yield* call(limits, planned)
        yield* say(1)
        yield* Effect.sleep(paced)
      }
    }
  }
})

BunRuntime.runMain(
  program.pipe(
    Effect.zipRight(Effect.never),
    Effect.provide(
      Layer.suspend(() =>
        meteringLayer(
          Redacted.make(process.env.DATABASE_URL ?? ""),
          Object.fromEntries(
            ["REDIS_URL", "USAGE_SINK", "CLICKHOUSE_URL"].map((name) => [name, process.env[name] ?? ""])
          )
        )
      )
    )
  )
)
