import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { enqueueing } from "../db/enqueue.ts"
import { onlyRow, rows } from "../db/sql.ts"

const Figures = Schema.Struct({
  kind: Schema.String,
  /** At most 100,000. */
  jobs: Schema.Number,
  /** For how many seconds the lane that waits longest for a process has been due. */
  oldest: Schema.NullOr(Schema.Number),
  /** At most 100,000. */
  poison: Schema.Number
})
export type Figures = typeof Figures.Type

const PoisonJob = Schema.Struct({
  id: Schema.String,
  kind: Schema.String,
  lane: Schema.String,
  attempt: Schema.Number,
  payload: Schema.Unknown,
  reason: Schema.String,
  set_aside_at: Schema.DateFromSelf
})
export type PoisonJob = typeof PoisonJob.Type

const DroppedJob = PoisonJob.pick("id", "kind", "payload")
export type DroppedJob = typeof DroppedJob.Type

/** One job that was set aside, or all of a kind. */
export type Which = { readonly id: string } | { readonly kind: string }

/** The most that {@link Figures} count. */
const countedAtMost = 100_000

/** What is stored of the work in Postgres, for the operator: figures, and the jobs that were set aside. */
export class StoredWorkRepo extends Effect.Service<StoredWorkRepo>()("StoredWorkRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeIds = rows(Schema.Struct({ id: Schema.String }))
    const decodeFigures = rows(Figures)
    const decodeWaiting = onlyRow(Schema.Struct({ seconds: Schema.Number }))
    const decodePoison = rows(PoisonJob)
    const decodeDropped = rows(DroppedJob)

    /** The kinds in a table, each found with one read of an index. */
    const kindsIn = (table: "work_lanes" | "work_poison") => sql`
      (select kind from ${sql.literal(table)} order by kind limit 1)
      union all
      select (select kind from ${sql.literal(table)} where kind > before.kind order by kind limit 1)
      from ${sql.literal(`of_${table}`)} before where before.kind is not null`

    const named = (which: Which) =>
      "id" in which ? sql`number = ${which.id}::bigint` : sql`kind = ${which.kind}`

    return {
      /** Of these kinds, and of all others that have lanes or poison. */
      figures: (kinds: ReadonlyArray<string>) =>
        decodeFigures(sql`
          with recursive of_work_lanes as (${kindsIn("work_lanes")}), of_work_poison as (${kindsIn("work_poison")})
          select k.kind,
            (select count(*)::int from (select from work_jobs where kind = k.kind limit ${countedAtMost}) as _) as jobs,
            (
              select extract(epoch from now() - due)::float8 from work_lanes
              where kind = k.kind and greatest(due, lease) <= now() order by greatest(due, lease) limit 1
            ) as oldest,
            (select count(*)::int from (select from work_poison where kind = k.kind limit ${countedAtMost}) as _) as poison
          from (
            select kind from of_work_lanes union select kind from of_work_poison union select unnest(${kinds}::text[])
          ) as k (kind)
          where k.kind is not null order by k.kind`),

      /** For how many seconds the event that waits longest to be moved to the log has waited. */
      eventsWaiting: Effect.map(
        decodeWaiting(sql`
          select coalesce((
            select extract(epoch from now() - created_at)::float8 from event_outbox where number = any (oldest_events(1))
          ), 0) as seconds`),
        ({ seconds }) => seconds
      ),

      /** The newest first, of one kind or of all. */
      poison: (kind: string | undefined, limit: number) =>
        decodePoison(sql`
          select number::text as id, kind, lane, attempt, payload, reason, set_aside_at from work_poison
          where ${kind === undefined ? sql`true` : sql`kind = ${kind}`} order by number desc limit ${limit}`),

      /** Makes jobs that were set aside due, as new jobs. Returns those that there were. */
      retry: (which: Which) =>
        decodeIds(sql`
          with retried as (
            delete from work_poison where ${named(which)} returning *
          ), ${enqueueing(sql, sql`kind`, { lane: sql`lane`, payload: sql`payload`, from: sql`retried` })}
          select number::text as id from retried`),

      /** Deletes jobs that were set aside. Returns those that there were. */
      drop: (which: Which) =>
        decodeDropped(
          sql`delete from work_poison where ${named(which)} returning number::text as id, kind, payload`
        )
    }
  })
}) {}
