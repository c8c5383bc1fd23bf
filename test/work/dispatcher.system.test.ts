/** Lanes of work on a real Postgres, run by several dispatchers as by several processes. */
import * as SqlClient from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Redacted, Scope } from "effect"
import * as Database from "../../src/db/database.ts"
import { transaction } from "../../src/db/sql.ts"
import { allWork } from "../../src/feature.ts"
import { figures } from "../../src/observability/meters.ts"
import { withoutTable } from "../support/database/outage.ts"
import { wireTap } from "../support/database/wire-tap.ts"
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

onDatabase("200 lanes that hang have a slot each, and leave some for others", (url) =>
  Effect.gen(function* () {
    const { kind, started } = recordingKind(({ lane }) => lane.startsWith("hangs"))
    const hanging = upTo(200).map((n) => `hangs ${n}`)
    yield* add({ lanes: hanging, count: 20 })
    yield* stoppingAtOnce(dispatching(url, [kind]))
    yield* until("all hang", () => new Set(started.map(({ lane }) => lane)).size === 200)
    yield* add({ lanes: ["other"], count: 500 })
    yield* until(
      "the other's jobs have run",
      () => started.filter(({ lane }) => lane === "other").length === 500
    )
  })
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

onDatabase(
  "lanes that were given back, because their group had few slots, are taken as soon as it has some",
  (url) =>
    Effect.gen(function* () {
      const { kind, started } = recordingKind(({ lane }) => lane.startsWith("group"))
      yield* add({ lanes: lanesOf(13, 4).flat(), count: 20 })
      // Nothing but what the process does itself makes it look again.
      const { wake } = yield* stoppingAtOnce(dispatching(url, [kind], Number.POSITIVE_INFINITY))
      yield* until("all hang", () => new Set(started.map(({ lane }) => lane)).size === 52)
      yield* execute(
        url,
        `insert into work_lanes (kind, key, due)
       select 'test.number', 'other/empty ' || n, now() - interval '1 minute' from generate_series(1, 200) n`
      )
      yield* add({ lanes: ["other/last"], count: 1 })
      wake()
      yield* until("the last lane's job has run", () => started.some(({ lane }) => lane === "other/last"))
    })
)

onDatabase("a stopping process gives back a lane that was locked, once it no longer is", (url) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tap = yield* wireTap(url)
    const { kind, release, started } = recordingKind(() => true)
    yield* add({ lanes: ["one"], count: 1 })
    const { startDraining } = yield* dispatching(tap.url, [kind])
    yield* until("the job runs", () => started.length === 1)
    yield* add({ lanes: ["one"], count: 1, from: 2 }).pipe(
      Effect.zipRight(startDraining),
      Effect.zipRight(release),
      Effect.zipRight(
        eventually(
          "the job is settled",
          Effect.map(stored(url), (counts) => counts?.jobs === 0)
        )
      ),
      Effect.zipRight(
        until("the process has tried to give it back", () =>
          tap.statements().some(({ text }) => text.includes("as w (kind, key, had_page)"))
        )
      ),
      transaction(sql)
    )
    yield* eventually(
      "the lane is free",
      Effect.map(execute(url, "select from work_lanes where holder is null"), ({ length }) => length === 1)
    )
  })
)

onDatabase("a group that is alone runs all the jobs at once that 20 lanes permit", (url) =>
  Effect.gen(function* () {
    const { kind, started } = recordingKind(() => true)
    yield* add({ lanes: lanesOf(1, 20).flat(), count: 20 })
    yield* stoppingAtOnce(dispatching(url, [kind]))
    yield* until("each lane has as many as its kind permits", () => started.length === 160)
  })
)

onDatabase(
  "lanes for which a process has no slots, because others of their group hang, run in another",
  (url) =>
    Effect.gen(function* () {
      const each = [1, 2].map(() => recordingKind(() => true, { perLane: 1 }))
      const lanes = lanesOf(1, 300).flat()
      yield* add({ lanes, count: 1 })
      yield* Effect.forEach(each, ({ kind }) => stoppingAtOnce(dispatching(url, [kind])))
      const started = () => each.flatMap((one) => one.started.map(({ lane }) => lane))
      yield* until("all run", () => started().length === 300)
      expect(started().sort()).toEqual(lanes.toSorted())
      for (const one of each) expect(one.started.length).toBeLessThanOrEqual(165)
    })
)

onDatabase("the lanes of a group that has few slots take turns of one page", (url) =>
  Effect.gen(function* () {
    const { kind, started } = recordingKind(({ lane }) => lane.startsWith("group"), { perLane: 1 })
    yield* add({ lanes: lanesOf(10, 40).flat(), count: 1 })
    yield* stoppingAtOnce(dispatching(url, [kind]))
    yield* until("all groups hang", () => started.length > 300)
    const lanes = upTo(100).map((n) => `other/lane ${n}`)
    yield* add({ lanes, count: 130 })
    const others = () => started.filter(({ lane }) => lane.startsWith("other"))
    yield* until("all of the other group's jobs have run", () => others().length === 100 * 130)
    const counts = new Map<string, number>()
    const early = others().find(({ lane }) => {
      counts.set(lane, (counts.get(lane) ?? 0) + 1)
      return (counts.get(lane) ?? 0) > 64 && counts.size < lanes.length
    })
    expect(early).toBeUndefined()
  })
)

onDatabase(
  "of more lanes than there are slots, none has a second page before all have had their first",
  (url) =>
    Effect.gen(function* () {
      const { kind, started } = recordingKind(undefined, { perLane: 1 })
      const lanes = upTo(600).map((n) => `lane ${n}`)
      yield* add({ lanes, count: 70 })
      yield* dispatching(url, [kind])
      yield* untilNothing(url)
      const counts = new Map<string, number>()
      let seen = 0
      const early = started.find(({ lane }) => {
        const count = (counts.get(lane) ?? 0) + 1
        counts.set(lane, count)
        if (count === 1) seen++
        return count > 64 && seen < lanes.length
      })
      expect(early).toBeUndefined()
      expect(started).toHaveLength(600 * 70)
    }),
  180_000
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

onDatabase("a process whose leases have ended starts nothing, and another one goes on", (url) =>
  Effect.gen(function* () {
    const [first, second] = [recordingKind(), recordingKind()]
    const tap = yield* wireTap(url)
    yield* withTimes({ timeouts: { "work.lease": 0 } })(dispatching(tap.url, [first.kind]))
    yield* add({ lanes: ["one"], count: 20 })
    yield* until("the first has read jobs", () =>
      tap.statements().some(({ text }) => text.includes("'waited'"))
    )
    yield* dispatching(url, [second.kind])
    yield* untilNothing(url)
    expect(first.started).toEqual([])
    expect(numbers(second.started)).toEqual(upTo(20))
  })
)

onDatabase("a transaction that is rolled back leaves no job; one that commits leaves all", (url) =>
  Effect.gen(function* () {
    const { kind, started } = recordingKind()
    const sql = yield* SqlClient.SqlClient
    const { wake } = yield* dispatching(url, [kind])
    const adding = (from: number) => add({ lanes: ["one", "two"], count: 10, from })
    const [added, looked] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const failing = yield* Effect.fork(
      adding(1).pipe(
        Effect.zipRight(Deferred.succeed(added, undefined)),
        Effect.zipRight(Deferred.await(looked)),
        Effect.zipRight(Effect.fail("no")),
        transaction(sql)
      )
    )
    yield* Deferred.await(added)
    yield* add({ lanes: ["three"], count: 1 })
    wake()
    yield* until("the dispatcher has looked", () => started.length === 1)
    yield* Deferred.succeed(looked, undefined)
    yield* Fiber.await(failing)
    yield* untilNothing(url)
    expect(yield* stored(url)).toEqual(nothing)
    yield* Effect.zipRight(adding(101), adding(201)).pipe(transaction(sql))
    wake()
    yield* untilNothing(url)
    expect(numbers(started.slice(1)).sort((left, right) => left - right)).toEqual(
      [...upTo(10).map((n) => n + 100), ...upTo(10).map((n) => n + 200)].flatMap((n) => [n, n])
    )
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

onDatabase("a job that is to run again waits until then, and counts its attempts", (url) =>
  Effect.gen(function* () {
    const attempts: Array<number> = []
    const kind = testKind({
      run: ({ attempt }) =>
        Effect.sync(() => {
          attempts.push(attempt)
          return attempt === 1 ? { kind: "again", after: 3_600_000 } : done
        })
    })
    yield* add({ lanes: ["one"], count: 1 })
    const { wake } = yield* dispatching(url, [kind])
    yield* eventually(
      "the lane is released until the job is due",
      Effect.map(
        execute(
          url,
          `select from work_jobs j join work_lanes l on j.kind = l.kind and j.lane = l.key
           where j.due between now() + interval '59 minutes' and now() + interval '61 minutes' and l.due = j.due and holder is null and lease is null and attempt = 1`
        ),
        (rows) => rows.length === 1
      )
    )
    expect(attempts).toEqual([1])
    // As if the hour had passed.
    yield* execute(url, "update work_jobs set due = now()")
    yield* execute(url, "update work_lanes set due = now()")
    wake()
    yield* untilNothing(url)
    expect(attempts).toEqual([1, 2])
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

onDatabase("a process that stops gives back what does not end in time", (url) =>
  Effect.gen(function* () {
    const [first, second] = [recordingKind(({ payload }) => payload.n % 2 === 0), recordingKind()]
    const scope = yield* Scope.make()
    yield* Scope.extend(stoppingAtOnce(dispatching(url, [first.kind])), scope)
    yield* add({ lanes: ["one"], count: 16 })
    yield* until("the first hangs", () => first.started.length >= 15)
    yield* Scope.close(scope, Exit.void)
    expect(yield* execute(url, "select from work_lanes where holder is not null")).toEqual([])
    yield* dispatching(url, [second.kind])
    yield* untilNothing(url)
    expect(numbers(second.started)).toEqual(expect.arrayContaining(upTo(16).filter((n) => n % 2 === 0)))
    expect(second.started.filter(({ attempt }) => attempt !== 1)).toEqual([])
    expect(numbers(second.started).filter((n) => n % 2 === 1 && n < 15)).toEqual([])
  })
)

onDatabase("a process runs only the kinds that it knows, and each of them", (url) =>
  Effect.gen(function* () {
    const [letters, parcels] = ["test.letter", "test.parcel"].map((name) =>
      recordingKind(undefined, { name })
    )
    if (letters === undefined || parcels === undefined) return
    yield* add({ kind: "test.letter", lanes: upTo(100).map(String), count: 10 })
    yield* add({ kind: "test.parcel", lanes: upTo(100).map(String), count: 10 })
    yield* dispatching(url, [letters.kind])
    yield* until("all letters have run", () => letters.started.length === 1_000)
    expect(yield* execute(url, "select distinct kind from work_jobs where kind <> 'test.letter'")).toEqual([
      { kind: "test.parcel" }
    ])
    expect(parcels.started).toEqual([])
    yield* dispatching(url, [letters.kind, parcels.kind])
    yield* add({ kind: "test.letter", lanes: ["new"], count: 10 })
    yield* untilNothing(url)
    expect([letters.started.length, parcels.started.length]).toEqual([1_010, 1_000])
  })
)

onDatabase("a transaction that adds jobs and stays open holds up no other lane", (url) =>
  Effect.gen(function* () {
    const { kind, started } = recordingKind()
    const sql = yield* SqlClient.SqlClient
    const [added, seen] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    yield* dispatching(url, [kind])
    yield* add({ lanes: ["one"], count: 1 })
    const open = yield* Effect.fork(
      add({ lanes: ["one"], count: 1, from: 2 }).pipe(
        Effect.zipRight(Deferred.succeed(added, undefined)),
        Effect.zipRight(Deferred.await(seen)),
        transaction(sql)
      )
    )
    yield* Deferred.await(added)
    yield* add({ lanes: ["two", "three"], count: 100 })
    yield* until(
      "the other lanes have run",
      () => started.filter(({ lane }) => lane !== "one").length === 200
    )
    yield* eventually(
      "the other lanes are released",
      Effect.map(execute(url, "select from work_lanes where key <> 'one'"), (rows) => rows.length === 0)
    )
    yield* Deferred.succeed(seen, undefined)
    yield* Fiber.join(open)
    yield* untilNothing(url)
    expect(numbers(started.filter(({ lane }) => lane === "one"))).toEqual([1, 2])
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

onDatabase("a process without work asks the database one thing at a time: whether a lane is due", (url) =>
  Effect.gen(function* () {
    const tap = yield* wireTap(url)
    yield* dispatching(tap.url, [recordingKind().kind])
    const claims = () => tap.statements().filter(({ text }) => text.includes("update work_lanes"))
    yield* until("it has looked ten times", () => claims().length >= 10)
    const others = tap.statements().filter((statement) => !claims().includes(statement))
    expect(others.filter(({ text }) => text.includes("work_"))).toEqual([])
  })
)

it("two features cannot contribute kinds of the same name", () => {
  const { kind } = recordingKind()
  const other = recordingKind(undefined, { name: "test.other" }).kind
  expect(allWork([{ work: [kind] }, {}, { work: [other] }])).toEqual([kind, other])
  expect(() => allWork([{ work: [kind] }, { work: [kind] }])).toThrow("Two kinds of work have the same name")
})
