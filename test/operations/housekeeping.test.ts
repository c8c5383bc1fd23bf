import { expect, it } from "@effect/vitest"
import { Effect, Logger, TestClock } from "effect"
import { eachByItself } from "../../src/process/housekeeping.ts"
import { background } from "../../src/shared/background.ts"

it.effect("housekeeping: a failed task is logged and does not stop the others", () =>
  Effect.gen(function* () {
    const run: Array<string> = []
    const warned: Array<unknown> = []
    const task = (name: string) => Effect.sync(() => void run.push(name))
    yield* eachByItself({
      first: task("first"),
      failing: Effect.fail("no"),
      dying: Effect.die(new Error("the database is away")),
      last: task("last")
    }).pipe(
      Effect.provide(
        Logger.replace(
          Logger.defaultLogger,
          Logger.make(({ annotations }) => void warned.push(...annotations))
        )
      )
    )
    expect(run).toEqual(["first", "last"])
    expect(warned).toEqual([
      ["task", "failing"],
      ["task", "dying"]
    ])
  })
)

it.scoped("housekeeping runs five minutes after the start, and then every hour", () =>
  Effect.gen(function* () {
    let rounds = 0
    yield* background(
      "process.housekeeping",
      "Not done",
      Effect.sync(() => void rounds++)
    )
    yield* TestClock.adjust("299 seconds")
    expect(rounds).toBe(0)
    yield* TestClock.adjust("1 second")
    expect(rounds).toBe(1)
    yield* TestClock.adjust("59 minutes")
    expect(rounds).toBe(1)
    yield* TestClock.adjust("1 minute")
    expect(rounds).toBe(2)
    yield* TestClock.adjust("10 hours")
    expect(rounds).toBe(12)
  })
)
