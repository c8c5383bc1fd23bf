/** What a kind reads ahead for the jobs of a page. */
import type * as SqlClient from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Schema, type Scope } from "effect"
import { type Ran, workKind } from "../../src/work/model.ts"
import { databaseOn, freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"
import { withTimes } from "../support/timing.ts"
import { add, dispatching, done, stored } from "../support/work/dispatching.ts"

interface Seen {
  readonly lane: string
  readonly n: number
  readonly ahead: string | undefined
}

interface Given {
  /** The numbers for which each call read ahead. */
  readonly asked: Array<ReadonlyArray<number>>
  readonly seen: Array<Seen>
  /** Adds jobs, with the payload that is not `{ n }` first in lane `one`, and runs all to their end. */
  readonly runAll: (
    lanes: ReadonlyArray<string>,
    count: number,
    odd?: string
  ) => Effect.Effect<void, unknown, Scope.Scope>
}

/** A kind that reads ahead, one job of a lane at once. */
const reading = (
  title: string,
  kind: {
    readonly readAhead?: (numbers: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<string>>
    /** How old what was read may be, in milliseconds. */
    readonly ahead?: number
  },
  test: (given: Given) => Effect.Effect<void, unknown, SqlClient.SqlClient | Scope.Scope>
) =>
  it.scopedLive(title, () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const database = databaseOn({ url, maxConnections: 2 })
      const asked: Array<ReadonlyArray<number>> = []
      const seen: Array<Seen> = []
      const testKind = workKind({
        name: "test.number",
        perLane: 1,
        payload: Schema.Struct({ n: Schema.Number }),
        readAhead: (payloads) => {
          const numbers = payloads.map(({ n }) => n)
          asked.push(numbers)
          return kind.readAhead?.(numbers) ?? Effect.succeed(numbers.map((n) => `about ${n}`))
        },
        run: ({ ahead, lane, payload: { n } }) =>
          Effect.as(
            Effect.sync(() => seen.push({ lane, n, ahead })),
            { outcome: done, result: undefined } satisfies Ran<undefined>
          )
      })
      const runAll: Given["runAll"] = (lanes, count, odd) =>
        Effect.gen(function* () {
          yield* Effect.provide(add({ lanes, count }), database)
          if (odd !== undefined)
            yield* execute(
              url,
              "update work_jobs set payload = $1 where lane = 'one' and payload = '{\"n\":1}'",
              [odd]
            )
          yield* withTimes({ timeouts: kind.ahead === undefined ? {} : { "work.ahead": kind.ahead } })(
            dispatching(url, [testKind])
          )
          yield* eventually(
            "all jobs are settled",
            Effect.map(stored(url), (now) => now?.jobs === 0 && now.lanes === 0)
          )
        })
      yield* test({ asked, seen, runAll }).pipe(Effect.provide(Layer.fresh(database)))
    })
  )

reading(
  "each job gets what was read for it, with one question for all lanes",
  {},
  ({ asked, runAll, seen }) =>
    Effect.gen(function* () {
      yield* runAll(["one", "two"], 3)
      expect(asked).toEqual([[1, 2, 3, 1, 2, 3]])
      expect(seen).toHaveLength(6)
      for (const { ahead, n } of seen) expect(ahead).toBe(`about ${n}`)
    })
)

reading(
  "a payload that cannot be decoded is left out, and the others get what was read for them",
  {},
  ({ asked, runAll, seen }) =>
    Effect.gen(function* () {
      yield* runAll(["one"], 3, '{"n":"odd"}')
      expect(asked).toEqual([[2, 3]])
      expect(seen).toEqual([
        { lane: "one", n: 2, ahead: "about 2" },
        { lane: "one", n: 3, ahead: "about 3" }
      ])
    })
)

reading(
  "if it cannot be read, jobs run without it",
  { readAhead: () => Effect.die(new Error("The database is away")) },
  ({ runAll, seen }) =>
    Effect.gen(function* () {
      yield* runAll(["one"], 2)
      expect(seen).toEqual([
        { lane: "one", n: 1, ahead: undefined },
        { lane: "one", n: 2, ahead: undefined }
      ])
    })
)

reading(
  "a job that starts later than what was read may be used runs without it",
  { ahead: 0 },
  ({ asked, runAll, seen }) =>
    Effect.gen(function* () {
      yield* runAll(["one"], 2)
      expect(asked).toEqual([[1, 2]])
      expect(seen).toEqual([
        { lane: "one", n: 1, ahead: undefined },
        { lane: "one", n: 2, ahead: undefined }
      ])
    })
)
