/** Work on a database, without a server: adds jobs, and runs dispatchers as several processes would. */
import * as SqlClient from "@effect/sql/SqlClient"
import {
  Context,
  Deferred,
  Duration,
  Effect,
  Layer,
  Logger,
  LogLevel,
  type Redacted,
  Schema,
  type Scope
} from "effect"
import * as Database from "../../../src/db/database.ts"
import { enqueueing } from "../../../src/db/enqueue.ts"
import { Lifecycle } from "../../../src/http/runtime/lifecycle.ts"
import * as dispatcher from "../../../src/work/dispatcher.ts"
import {
  type Job,
  type Outcome,
  type Ran,
  type Settled,
  type WorkKind,
  workKind
} from "../../../src/work/model.ts"
import { WorkLease } from "../../../src/work/repo.ts"
import { WorkSignal } from "../../../src/work/signal-service.ts"
import { execute } from "../postgres.ts"
import { patient } from "../run/timeouts.ts"

const Payload = Schema.Struct({ n: Schema.Number })
export type TestJob = Job<typeof Payload.Type>

interface TestKind<R> {
  readonly name?: string
  readonly perLane?: number
  readonly run: (job: TestJob) => Effect.Effect<Outcome, never, R>
  readonly settle?: (
    settled: ReadonlyArray<Settled<typeof Payload.Type, undefined>>
  ) => Effect.Effect<void, never, R>
}

export const done: Outcome = { kind: "done" }

/** A kind of work whose payload is `{ n }`. */
export const testKind = <R = never>({ name = "test.number", perLane = 8, run, settle }: TestKind<R>) =>
  workKind({
    name,
    perLane,
    payload: Payload,
    run: (job) => Effect.map(run(job), (outcome): Ran<undefined> => ({ outcome, result: undefined })),
    ...(settle === undefined ? {} : { settle })
  })

/** A kind whose jobs are recorded when they start. Those for which `hangs` holds end when `release` is called. */
export const recordingKind = (
  hangs: (job: TestJob) => boolean = () => false,
  { name, perLane }: Pick<TestKind<never>, "name" | "perLane"> = {}
) => {
  const started: Array<TestJob> = []
  const gate = Deferred.unsafeMake<void>(Effect.runSync(Effect.fiberId))
  const kind = testKind({
    ...(name === undefined ? {} : { name }),
    ...(perLane === undefined ? {} : { perLane }),
    run: (job) =>
      Effect.suspend(() => {
        started.push(job)
        return hangs(job) ? Effect.as(Deferred.await(gate), done) : Effect.succeed(done)
      })
  })
  return { kind, started, release: Deferred.succeed(gate, undefined) }
}

interface Pace {
  readonly poll?: Duration.DurationInput
  readonly figures?: Duration.DurationInput
  readonly settle?: { readonly collect: number; readonly most: number }
  readonly ahead?: Duration.DurationInput
  readonly stop?: Duration.DurationInput
}

export interface Dispatching {
  readonly wake: () => void
  /** As if the process had been told to stop, while it still answers requests. */
  readonly startDraining: Effect.Effect<void>
}

/** Runs jobs of these kinds as a process would, until the scope ends. */
export const dispatching = <R = SqlClient.SqlClient>(
  databaseUrl: Redacted.Redacted,
  kinds: ReadonlyArray<WorkKind<R>>,
  pace: Pace = {}
): Effect.Effect<Dispatching, unknown, Exclude<R, SqlClient.SqlClient> | Scope.Scope> =>
  Effect.map(
    Layer.build(
      Layer.fresh(
        dispatcher.layer(kinds).pipe(
          Layer.provideMerge(Layer.mergeAll(WorkSignal.Default, Lifecycle.layer)),
          Layer.provide(Database.layer({ url: databaseUrl, maxConnections: 4 })),
          Layer.provide(
            Layer.succeed(dispatcher.WorkPace, {
              poll: Duration.millis(20),
              figures: Duration.millis(50),
              settle: { collect: 5, most: 200 },
              ahead: Duration.days(1),
              stop: Duration.seconds(60),
              ...pace
            })
          ),
          // A lane whose lease ends on a busy machine runs in two processes.
          Layer.provide(
            Layer.mergeAll(patient, Layer.succeed(WorkLease, 600_000), Logger.minimumLogLevel(LogLevel.None))
          )
        )
      )
    ),
    (context) => ({
      wake: Context.get(context, WorkSignal).wake,
      startDraining: Context.get(context, Lifecycle).startDraining
    })
  )

interface Added {
  readonly kind?: string
  /** The jobs get the numbers from `from` (default: 1) to `from + count - 1`, each in every lane. */
  readonly lanes: ReadonlyArray<string>
  readonly count: number
  readonly from?: number
  /** An SQL expression. */
  readonly due?: string
}

/** Adds jobs `{ n }`, within the caller's transaction if there is one. */
export const add = ({ count, due = "now()", from = 1, kind = "test.number", lanes }: Added) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      with numbers as (
        select lane, n from unnest(${lanes}::text[]) as l (lane), generate_series(${from}::int, ${from + count - 1}::int) n
      ), ${enqueueing(sql, kind, {
        lane: sql`lane`,
        payload: sql`jsonb_build_object('n', n)`,
        due: sql.literal(due),
        from: sql`numbers`
      })}
      select from numbers limit 0`
  )

/** What is stored: jobs, lanes and poison. */
export const stored = (databaseUrl: Redacted.Redacted) =>
  Effect.map(
    execute(
      databaseUrl,
      `select (select count(*)::int from work_jobs) as jobs, (select count(*)::int from work_lanes) as lanes,
         (select count(*)::int from work_poison) as poison`
    ),
    ([counts]) => counts
  )

export const nothing = { jobs: 0, lanes: 0, poison: 0 }
