import { expect, it } from "@effect/vitest"
import { Clock, Effect, Logger, TestClock } from "effect"
import { recordingEvents } from "../../src/db/outbox.ts"
import { collecting } from "../../src/events/collecting.ts"
import { databaseOn, freshDatabase } from "../support/database.ts"

it.scoped(
  "twice a second when idle; soon after this process records an event; less often while it records many",
  () =>
    Effect.gen(function* () {
      const looks: Array<number> = []
      yield* collecting(Effect.map(Clock.currentTimeMillis, (now) => looks.push(now)))
      /** When it looks in the next milliseconds. */
      const looksWithin = (milliseconds: number) =>
        Effect.gen(function* () {
          const start = yield* Clock.currentTimeMillis
          yield* TestClock.adjust(milliseconds)
          return looks.splice(0).map((at) => at - start)
        })
      const record = (times: number) => Effect.replicateEffect(recordingEvents(Effect.void), times)
      // Once at the start.
      expect(yield* looksWithin(0)).toStrictEqual([0])
      expect(yield* looksWithin(10_000)).toHaveLength(20)
      yield* record(1)
      expect(yield* looksWithin(1_600)).toStrictEqual([10, 510, 1_010, 1_510])
      yield* record(1_000)
      expect(yield* looksWithin(100)).toStrictEqual([10])
      const looksWhileRecording = (each: number) =>
        Effect.map(
          Effect.replicateEffect(Effect.zipRight(record(each), looksWithin(10)), 25),
          (found) => found.flat().length
        )
      yield* looksWhileRecording(2)
      expect(yield* looksWhileRecording(2)).toBe(5)
      yield* looksWithin(1_000)
      yield* looksWhileRecording(1)
      expect(yield* looksWhileRecording(1)).toBe(25)
    })
)

it.scoped("a collector that fails warns once, and again after it has worked", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const lines: Array<string> = []
    const outcomes = ["fails", "fails", "works", "fails", "fails"]
    const collect = Effect.suspend(() =>
      outcomes.shift() === "fails" ? Effect.die("broken") : Effect.succeed(0)
    )
    yield* collecting(collect).pipe(
      Effect.provide(
        Logger.replace(
          Logger.defaultLogger,
          Logger.make(({ logLevel, message }) => void lines.push(`${logLevel.label} ${String(message)}`))
        )
      ),
      Effect.provide(databaseOn({ url, maxConnections: 1 }))
    )
    yield* TestClock.adjust(5_000)
    expect(outcomes).toHaveLength(0)
    const warning = "WARN Events cannot be moved to the log; trying again"
    expect(lines.filter((line) => !line.startsWith("DEBUG"))).toStrictEqual([warning, warning])
  })
)
