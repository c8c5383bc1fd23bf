import { expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { eachByItself } from "../../src/process/housekeeping.ts"

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
