/** Lanes of work on a real Postgres, run by several dispatchers as by several processes. */
import * as SqlClient from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Effect, Exit, type Redacted, Scope } from "effect"
import * as Database from "../../src/db/database.ts"
import { allWork } from "../../src/feature.ts"
import { figures } from "../../src/observability/meters.ts"
import { withoutTable } from "../support/database/outage.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"
import { withTimes } from "../support/timing.ts"
import {
  add,
  dispatching,
  done,
  nothing,
  recordingKind,
  stored,
  type TestJob,
  testKind
} from "../support/work/dispatching.ts"

const numbers = (jobs: ReadonlyArray<TestJob>) => jobs.map(({ payload }) => payload.n)
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** A test with a database of its own, which it also reaches as the service does. */
const onDatabase = (
  title: string,
  test: (url: Redacted.Redacted<string>) => Effect.Effect<void, unknown, SqlClient.SqlClient | Scope.Scope>,
  timeout?: number
) =>
  it.scopedLive(
    title,
    () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase
        yield* Effect.provide(test(url), Database.layer({ url, maxConnections: 4 }))
      }),
    timeout
  )

const until = (what: string, condition: () => boolean) => eventually(what, condition)

/** A process that gives its jobs back at once when it stops. */
const stoppingAtOnce = withTimes({ timeouts: { "work.stop": 0 } })

const untilNothing = (url: Redacted.Redacted) =>
  eventually(
    "all work is done",
    Effect.map(stored(url), (counts) => counts?.jobs === 0 && counts.lanes === 0)
  )

onDatabase("four dispatchers run each job once, and leave nothing", (url) =>
  Effect.gen(function* () {
    const { kind, started } = recordingKind()
    const lanes = upTo(40).map((n) => `lane ${n}`)
    const each = yield* Effect.replicateEffect(dispatching(url, [kind]), 4)
    for (const from of [1, 51, 101]) {
      yield* add({ lanes, count: 50, from })
      for (const { wake } of each) wake()
    }
    yield* untilNothing(url)
    const ran = started.map(({ lane, payload }) => `${lane}: ${payload.n}`).sort()
    expect(ran).toEqual(lanes.flatMap((lane) => upTo(150).map((n) => `${lane}: ${n}`)).sort())
    expect(yield* stored(url)).toEqual(nothing)
  })
)

onDatabase(
  "a lane has at most so many jobs under way as its kind says, and runs them in the order in which they are due",
  (url) =>
    Effect.gen(function* () {
      let [running, most] = [0, 0]
      const order: Array<number> = []
      const kind = testKind({
        perLane: 3,
        run: ({ payload }) =>
          Effect.gen(function* () {
            order.push(payload.n)
            running++
            most = Math.max(most, running)
            yield* Effect.sleep("2 millis")
            running--
            return done
          })
      })
      yield* add({ lanes: ["one"], count: 200 })
      yield* Effect.replicateEffect(dispatching(url, [kind]), 3)
      yield* untilNothing(url)
      expect(most).toBe(3)
      expect(order).toEqual(upTo(200))
    })
)

onDatabase(
  "a lane that hangs, with 100,000 jobs, delays no other",
  (url) =>
    Effect.gen(function* () {
      const { kind, started } = recordingKind(({ lane }) => lane === "hangs")
      yield* add({ lanes: ["hangs"], count: 100_000 })
      yield* stoppingAtOnce(dispatching(url, [kind]))
      yield* until("the lane hangs", () => started.length === 8)
      yield* add({ lanes: ["other", "another"], count: 1_000 })
      yield* until("the jobs of the others have run", () => started.length === 2_008)
      expect(started.filter(({ lane }) => lane === "hangs")).toHaveLength(8)
    }),
  180_000
)

/** Groups with so many lanes each. */
const lanesOf = (groups: number, each: number) =>
  upTo(groups).map((group) => upTo(each).map((lane) => `group ${group}/lane ${lane}`))

onDatabase("13 groups that hang, each in 40 lanes, leave slots for others, and share the rest", (url) =>
  Effect.gen(function* () {
    const { kind, started } = recordingKind(({ lane }) => lane.startsWith("group"))
    const hanging = lanesOf(13, 40)
    // Most of the slots are taken before the last group has work.
    for (const lanes of hanging) yield* add({ lanes, count: 20 })
    yield* stoppingAtOnce(dispatching(url, [kind]))
    const busy = () => new Set(started.map(({ lane }) => lane.split("/", 1).join()))
    yield* until("all hang", () => busy().size === 13)
    yield* add({ lanes: ["other/one", "other/two"], count: 500 })
    yield* until(
      "the other group's jobs have run",
      () => started.filter(({ lane }) => lane.startsWith("other")).length === 1_000
    )
  })
)

onDatabase("a lane whose lease has ended is taken over, and only one of the two results counts", (url) =>
  Effect.gen(function* () {
    const settled: Array<string> = []
    const kindOf = (process: string, recording: ReturnType<typeof recordingKind>) =>
      testKind({
        run: (job) => Effect.as(recording.kind.run({ ...job, attempt: 0 }), done),
        settle: (jobs) =>
          Effect.sync(() => settled.push(...jobs.map(({ job }) => `${process} ${job.payload.n}`)))
      })
    const [first, second] = [recordingKind(() => true), recordingKind()]
    yield* add({ lanes: ["one"], count: 20 })
    const scope = yield* Scope.make()
    yield* Scope.extend(dispatching(url, [kindOf("first", first)]), scope)
    yield* until("the first runs jobs", () => first.started.length === 8)
    const [lane] = yield* execute(url, "select holder from work_lanes")
    const other = yield* dispatching(url, [kindOf("second", second)])
    // The first would renew the lease. That it does not is as if it had died.
    yield* eventually(
      "the second has taken over",
      Effect.gen(function* () {
        if (second.started.length > 0) return true
        yield* execute(url, "update work_lanes set lease = now() - interval '1 second' where holder = $1", [
          lane?.holder
        ])
        other.wake()
        return false
      })
    )
    yield* untilNothing(url)
    expect(numbers(second.started)).toEqual(upTo(20))
    yield* first.release
    yield* Scope.close(scope, Exit.void)
    expect(settled).toEqual(upTo(20).map((n) => `second ${n}`))
  })
)

onDatabase("jobs that cannot be run are set aside with the reason, and their lane goes on", (url) =>
  Effect.gen(function* () {
    const kind = testKind({
      run: ({ payload }) =>
        payload.n === 1
          ? Effect.die(new Error("a defect with dk_live_0123456789abcdefghij and \u0000"))
          : Effect.succeed(payload.n === 2 ? { kind: "poison", reason: "its endpoint was deleted" } : done)
    })
    yield* add({ lanes: ["one"], count: 5 })
    yield* execute(url, `update work_jobs set payload = '{"n":"three"}' where payload = '{"n":3}'`)
    yield* dispatching(url, [kind])
    yield* untilNothing(url)
    const poison = yield* execute(
      url,
      "select kind, lane, attempt, payload, reason from work_poison order by number"
    )
    expect(poison).toEqual(
      [
        [1, /^Error: a defect with dk_live_\[redacted\] and /],
        [2, /^its endpoint was deleted$/],
        ["three", /^The payload cannot be decoded: .*\["n"\].*Expected number/s]
      ].map(([n, reason]) => ({
        kind: "test.number",
        lane: "one",
        attempt: 1,
        payload: { n },
        reason: expect.stringMatching(reason as RegExp)
      }))
    )
  })
)

onDatabase(
  "a kind writes its own rows in the transaction that settles; a row that is refused sets aside its job alone",
  (url) =>
    Effect.gen(function* () {
      yield* execute(url, "create table ran (n int primary key check (n <> 7))")
      const kind = testKind({
        run: () => Effect.succeed(done),
        settle: (jobs) =>
          Effect.flatMap(SqlClient.SqlClient, (sql) =>
            Effect.orDie(sql`insert into ran select unnest(${jobs.map(({ job }) => job.payload.n)}::int[])`)
          )
      })
      yield* add({ lanes: ["one", "two"], count: 1, from: 7 })
      yield* add({ lanes: ["one"], count: 30, from: 10 })
      yield* dispatching(url, [kind])
      yield* untilNothing(url)
      expect(yield* stored(url)).toEqual({ ...nothing, poison: 2 })
      const reasons = yield* execute(url, "select reason from work_poison")
      for (const { reason } of reasons)
        expect(reason).toMatch(/^Its result cannot be settled: .*ran_n_check/s)
      const ran = yield* execute(url, "select n from ran order by n")
      expect(ran.map(({ n }) => n)).toEqual(upTo(30).map((n) => n + 9))
    })
)

onDatabase("a process that is told to stop starts nothing new, and another one goes on", (url) =>
  Effect.gen(function* () {
    const [first, second] = [recordingKind(() => true), recordingKind()]
    yield* add({ lanes: ["one"], count: 20 })
    const { startDraining } = yield* dispatching(url, [first.kind])
    yield* until("the first runs jobs", () => first.started.length === 8)
    yield* startDraining
    yield* dispatching(url, [second.kind])
    // Also a lane that was added since.
    yield* add({ lanes: ["two"], count: 5, from: 101 })
    yield* until("the second runs the new lane", () => second.started.length === 5)
    yield* first.release
    yield* untilNothing(url)
    expect(numbers(first.started)).toEqual(upTo(8))
    expect(numbers(second.started.slice(5))).toEqual(upTo(20).slice(8))
  })
)

onDatabase("a process runs only the kinds that it knows, and each of them", (url) =>
  Effect.gen(function* () {
    const letters = recordingKind(undefined, { name: "test.letter" })
    const parcels = recordingKind(undefined, { name: "test.parcel" })
    for (const kind of ["test.letter", "test.parcel"])
      yield* add({ kind, lanes: upTo(10).map(String), count: 10 })
    yield* dispatching(url, [letters.kind])
    yield* until("all letters have run", () => letters.started.length === 100)
    expect(yield* execute(url, "select distinct kind from work_jobs where kind <> 'test.letter'")).toEqual([
      { kind: "test.parcel" }
    ])
    yield* dispatching(url, [letters.kind, parcels.kind])
    yield* untilNothing(url)
    expect([letters.started.length, parcels.started.length]).toEqual([100, 100])
  })
)

onDatabase("results wait while the database refuses to settle them, and are then settled once", (url) =>
  Effect.gen(function* () {
    const { kind, release, started } = recordingKind(() => true)
    const failed = () =>
      figures().find(({ name }) => name === "doorlock_database_statements_failed_total")?.series[""]?.[0] ?? 0
    yield* add({ lanes: ["one"], count: 5 })
    yield* dispatching(url, [kind])
    yield* until("the jobs run", () => started.length === 5)
    const before = failed()
    yield* withoutTable(
      { databaseUrl: url },
      "work_jobs",
      Effect.zipRight(
        release,
        until("statements fail", () => failed() >= before + 3)
      )
    )
    yield* untilNothing(url)
    expect(yield* stored(url)).toEqual(nothing)
    expect(numbers(started)).toEqual(upTo(5))
  })
)

it("two features cannot contribute kinds of the same name", () => {
  const { kind } = recordingKind()
  const other = recordingKind(undefined, { name: "test.other" }).kind
  expect(allWork([{ work: [kind] }, {}, { work: [other] }])).toEqual([kind, other])
  expect(() => allWork([{ work: [kind] }, { work: [kind] }])).toThrow("Two kinds of work have the same name")
})
