/** Work on a database, without a server: adds jobs, and runs dispatchers as several processes would. */
import * as SqlClient from "@effect/sql/SqlClient"
import { Context, Deferred, Effect, Layer, Logger, LogLevel, type Redacted, Schema, type Scope } from "effect"
import * as Database from "../../../src/db/database.ts"
import { enqueueing } from "../../../src/db/enqueue.ts"
import { Lifecycle } from "../../../src/http/runtime/lifecycle.ts"
import { Background, type BackgroundName } from "../../../src/shared/background.ts"
import { Timing } from "../../../src/shared/timing.ts"
import * as dispatcher from "../../../src/work/dispatcher.ts"
import {
  type Job,
  type Outcome,
  type Ran,
  type Settled,
  type WorkKind,
  workKind
} from "../../../src/work/model.ts"
import { WorkSignal } from "../../../src/work/signal-service.ts"
import { standingBackground } from "../background.ts"
import { execute } from "../postgres.ts"
import { patient, unlessGiven } from "../run/timeouts.ts"
import { patientTiming } from "../timing.ts"

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

export interface Dispatching {
  readonly wake: () => void
  /** As if the process had been told to stop, while it still answers requests. */
  readonly startDraining: Effect.Effect<void>
  /** Runs one round of a job of its background. */
  readonly run: (name: BackgroundName) => Effect.Effect<void>
}

/**
 * Runs jobs of these kinds as a process would, until the scope ends. Nothing else of its background runs by itself.
 *
 * @param poll milliseconds after which it looks for due lanes when nobody has woken it
 */
export const dispatching = <R = SqlClient.SqlClient>(
  databaseUrl: Redacted.Redacted,
  kinds: ReadonlyArray<WorkKind<R>>,
  poll = 20
): Effect.Effect<Dispatching, unknown, Exclude<R, SqlClient.SqlClient> | Scope.Scope> =>
  Effect.suspend(() => {
    const { background, run } = standingBackground()
    const start: Background["Type"]["start"] = (job) =>
      job.name === "work.poll"
        ? Effect.asVoid(Effect.forkScoped(Effect.forever(Effect.zipRight(job.round, Effect.sleep(poll)))))
        : background.start(job)
    return Effect.map(
      Layer.build(
        Layer.fresh(
          dispatcher
            .layer(kinds)
            .pipe(
              Layer.provideMerge(Layer.mergeAll(WorkSignal.Default, Lifecycle.layer)),
              Layer.provide(Database.layer({ url: databaseUrl, maxConnections: 4 })),
              Layer.provide(
                Layer.mergeAll(
                  patient,
                  unlessGiven(Timing, patientTiming),
                  Layer.succeed(Background, { start }),
                  Logger.minimumLogLevel(LogLevel.None)
                )
              )
            )
        )
      ),
      (context) => ({
        wake: Context.get(context, WorkSignal).wake,
        startDraining: Context.get(context, Lifecycle).startDraining,
        run
      })
    )
  })

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
