/** Lanes beside pg-boss, on one Postgres and in one process, in turn: how fast jobs are done, and how long they wait. */
import type * as SqlClient from "@effect/sql/SqlClient"
import { Effect, identity, Layer, Redacted, type Scope } from "effect"
import { PgBoss } from "pg-boss"
import * as Database from "../../../src/db/database.ts"
import { migrate } from "../../../src/db/migrations.ts"
import { SettledTogether } from "../../../src/work/settling.ts"
import { eventually } from "../../support/eventually.ts"
import { withTimes } from "../../support/timing.ts"
import { add, dispatching, done, stored, testKind } from "../../support/work/dispatching.ts"
import { postgres } from "../servers.ts"
import { rounds, say } from "../table.ts"

export const workHeader = ["| What | lanes | pg-boss 12.38 |", "|---|---|---|"]

interface Use {
  /** Called when a job starts. */
  readonly run: (lane: string) => Promise<void>
  /** Whether each job is settled by itself. */
  readonly singly: boolean
  /** Whether at most eight jobs of a lane run at once. */
  readonly bounded: boolean
}

interface Queue {
  /** Adds as many jobs to each of these lanes. */
  readonly add: (lanes: ReadonlyArray<string>, count: number) => Effect.Effect<unknown, unknown>
  /** Runs jobs until the scope ends. */
  readonly use: (
    use: Use
  ) => Effect.Effect<{ readonly settled: Effect.Effect<boolean> }, unknown, Scope.Scope>
}

const lanes = (url: Redacted.Redacted): Effect.Effect<Queue, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const database = yield* Layer.build(Database.layer({ url, maxConnections: 4 }))
    let wake = () => {}
    return {
      add: (keys, count) =>
        Effect.tap(Effect.provide(add({ lanes: keys, count }), database), () => Effect.sync(() => wake())),
      use: ({ run, singly }) =>
        Effect.gen(function* () {
          const kind = testKind({
            run: ({ lane }) =>
              Effect.as(
                Effect.promise(() => run(lane)),
                done
              )
          })
          const dispatcher = yield* dispatching<SqlClient.SqlClient>(url, [kind], 500).pipe(
            singly ? Effect.provideService(SettledTogether, 1) : identity,
            withTimes({ timeouts: { "work.stop": 0 }, pauses: singly ? { "work.settle": 0 } : {} })
          )
          wake = dispatcher.wake
          const left = Effect.map(Effect.orDie(stored(url)), (counts) => counts?.jobs)
          return { settled: Effect.map(left, (jobs) => jobs === 0) }
        })
    }
  })

/** Milliseconds between two fetches that find nothing: the shortest that does not keep a core busy. */
const idle = 5

/** pg-boss by `fetch` and `complete`, which is faster than its own workers: these look every 500 ms at best. */
const pgBoss = (url: Redacted.Redacted): Effect.Effect<Queue, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const name = "work"
    const boss = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const boss = new PgBoss({
          connectionString: Redacted.value(url),
          max: 10,
          supervise: false,
          schedule: false
        })
        boss.on("error", () => {})
        await boss.start()
        await boss.createQueue(name)
        return boss
      }),
      (boss) => Effect.promise(() => boss.stop({ graceful: false }))
    )
    let open = 0
    return {
      add: (keys, count) =>
        Effect.promise(async () => {
          open += keys.length * count
          for (const key of keys) {
            for (let left = count; left > 0; left -= 10_000) {
              const jobs = Array.from({ length: Math.min(left, 10_000) }, () => ({
                data: { key },
                group: { id: key }
              }))
              await boss.insert(name, jobs)
            }
          }
        }),
      use: ({ bounded, run, singly }) =>
        Effect.gen(function* () {
          let ends = false
          const batchSize = singly ? 1 : 200
          const fetching = async () => {
            while (!ends) {
              const jobs = await boss.fetch<{ key: string }>(name, {
                batchSize,
                ...(bounded ? { groupConcurrency: 8 } : {})
              })
              if (jobs.length === 0) await Bun.sleep(idle)
              const ran = Promise.all(jobs.map(({ data }) => run(data.key))).then(async () => {
                if (ends || jobs.length === 0) return
                await boss.complete(
                  name,
                  jobs.map(({ id }) => id)
                )
                open -= jobs.length
              })
              // A job that hangs must not keep the others from being fetched.
              if (!bounded) await ran
            }
          }
          const loops = Array.from({ length: singly ? 16 : 2 }, fetching)
          yield* Effect.addFinalizer(() =>
            Effect.promise(() => {
              ends = true
              return Promise.all(loops)
            })
          )
          return { settled: Effect.sync(() => open === 0) }
        })
    }
  })

const quantile = (values: ReadonlyArray<number>, part: number) =>
  values.toSorted((left, right) => left - right)[Math.ceil(part * values.length) - 1] ?? Number.NaN

const keys = Array.from({ length: 20 }, (_, index) => `lane ${index}`)

/** Jobs per second, from the first look at `each` jobs in each lane until all are settled. */
const perSecond = (queue: Queue, each: number, singly: boolean) =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* queue.add(keys, each)
      let left = keys.length * each
      const began = performance.now()
      const run = async () => void left--
      const { settled } = yield* queue.use({ run, singly, bounded: false })
      yield* eventually("all jobs have run", () => left === 0)
      yield* eventually("all jobs are settled", settled)
      return (keys.length * each * 1_000) / (performance.now() - began)
    })
  )

/** Milliseconds from the commit to the start, for jobs that are added one by one to lanes of their own. */
const waits = (
  queue: Queue,
  prefix: string,
  tries: number,
  bounded: boolean,
  beforehand: Effect.Effect<unknown, unknown>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const hang = Promise.withResolvers<void>()
      const starts = new Map<string, number>()
      let hanging = 0
      const run = async (key: string) => {
        if (key === "hangs") {
          hanging++
          return hang.promise
        }
        starts.set(key, performance.now())
      }
      yield* beforehand
      yield* Effect.addFinalizer(() => Effect.sync(() => hang.resolve()))
      yield* queue.use({ run, singly: false, bounded })
      if (bounded) yield* eventually("the lane hangs", () => hanging >= 8)
      const found: Array<number> = []
      for (let n = 0; n < tries; n++) {
        const key = `${prefix} ${n}`
        yield* queue.add([key], 1)
        const committed = performance.now()
        yield* eventually("it starts", () => starts.has(key))
        found.push(Math.max(0, (starts.get(key) ?? 0) - committed))
        yield* Effect.sleep(Math.random() * 20)
      }
      return found
    })
  )

const both = <A>(of: (queue: Queue) => Effect.Effect<A, unknown>, queues: ReadonlyArray<Queue>) =>
  Effect.forEach(queues, of)

export const work = Effect.gen(function* () {
  const url = yield* postgres
  yield* migrate({ url })
  const queues = [yield* lanes(url), yield* pgBoss(url)]
  const compared = (what: string, each: ReadonlyArray<string>) => say(`| ${what} | ${each.join(" | ")} |`)

  for (const [what, each, singly] of [
    ["jobs a second, settled in batches of up to 200", 2_000, false],
    ["jobs a second, settled one by one", 150, true]
  ] as const) {
    const measured = yield* Effect.replicateEffect(
      both((queue) => perSecond(queue, each, singly), queues),
      rounds
    )
    yield* compared(
      what,
      queues.map((_, place) =>
        quantile(
          measured.map((one) => one[place] ?? 0),
          0.5
        ).toFixed(0)
      )
    )
  }

  const fast = yield* both((queue) => waits(queue, "fast", 300, false, Effect.void), queues)
  yield* compared(
    "ms from the commit to the start, p50 and p99",
    fast.map((found) => `${quantile(found, 0.5).toFixed(1)}, ${quantile(found, 0.99).toFixed(1)}`)
  )

  const behind = yield* both(
    (queue) => waits(queue, "other", 50, true, queue.add(["hangs"], 100_000)),
    queues
  )
  yield* compared(
    "the same for other lanes, while one with 100,000 jobs hangs, p50 and the longest of 50",
    behind.map((found) => `${quantile(found, 0.5).toFixed(1)}, ${Math.max(...found).toFixed(1)}`)
  )
})
