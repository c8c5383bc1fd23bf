/** What `/metrics` says of work. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { exposition } from "../../src/observability/figures.ts"
import { figures } from "../../src/observability/meters.ts"
import type { Outcome } from "../../src/work/model.ts"
import { databaseOn, freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { parseMetrics } from "../support/http/metrics.ts"
import { add, dispatching, done, testKind } from "../support/work/dispatching.ts"

/** Of this test alone: the files of a process share its counters. */
const name = "test.figures"

it.scopedLive("counts jobs that wait, run, and were settled or set aside, and how long they wait", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const read = (figure: string, labels: Readonly<Record<string, string>> = { kind: name }) =>
      parseMetrics(exposition(figures())).value(`doorlock_work_${figure}`, labels)
    const until = (what: string, condition: () => boolean) => eventually(what, condition)
    const hang = Promise.withResolvers<void>()
    const outcomeOf: Readonly<Record<number, Outcome>> = {
      1: { kind: "poison", reason: "no" },
      2: { kind: "again", after: 3_600_000 }
    }
    const kind = testKind({
      name,
      perLane: 2,
      run: ({ lane, payload: { n } }) =>
        lane === "hangs"
          ? Effect.as(
              Effect.promise(() => hang.promise),
              done
            )
          : Effect.succeed(outcomeOf[n] ?? done)
    })
    const before = read("time_in_lane_seconds_count", {}) ?? 0
    yield* Effect.provide(
      Effect.zipRight(
        add({ kind: name, lanes: ["hangs"], count: 10 }),
        add({ kind: name, lanes: ["one"], count: 10 })
      ),
      databaseOn({ url, maxConnections: 1 })
    )
    const { run } = yield* dispatching(url, [kind])
    const outcomes = (outcome: string) => read("outcomes_total", { kind: name, outcome })
    yield* until(
      "the other lane is done",
      () => outcomes("done") === 8 && outcomes("poison") === 1 && outcomes("again") === 1
    )
    yield* run("work.figures")
    expect([read("poison"), read("jobs")]).toEqual([1, 11])
    expect(read("under_way")).toBe(2)
    expect((read("time_in_lane_seconds_count", {}) ?? 0) - before).toBeGreaterThanOrEqual(12)
    expect(read("oldest_seconds")).toBe(0)
    hang.resolve()
    yield* until("the rest is done", () => outcomes("done") === 18)
    yield* run("work.figures")
    expect([read("jobs"), read("under_way")]).toEqual([1, 0])
  })
)
