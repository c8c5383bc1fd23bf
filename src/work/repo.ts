import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { groupEnd } from "../db/enqueue.ts"
import { rows } from "../db/sql.ts"
import { Timing } from "../shared/timing.ts"
import type { Outcome } from "./model.ts"

export interface LaneId {
  readonly kind: string
  readonly key: string
}

const LaneRow = Schema.Struct({ kind: Schema.String, key: Schema.String })

/** A lane that this process holds, with one of the jobs that are due, or none. */
const FetchedRow = Schema.Struct({
  kind: Schema.String,
  key: Schema.String,
  version: Schema.Number,
  job: Schema.NullOr(
    Schema.Struct({
      id: Schema.String,
      attempt: Schema.Number,
      payload: Schema.Unknown,
      /** Seconds since the job was due. */
      waited: Schema.Number
    })
  )
})

/** A job that has run, as this process knew it. */
interface Settling {
  readonly id: string
  readonly attempt: number
  readonly outcome: Outcome
}

/** Lanes that are taken at once, of all kinds together. */
export const claimSize = 64

const kindsOf = (lanes: ReadonlyArray<LaneId>) => lanes.map(({ kind }) => kind)
const keysOf = (lanes: ReadonlyArray<LaneId>) => lanes.map(({ key }) => key)

/**
 * Lanes and their jobs in Postgres, as the dispatcher reads and changes them. No statement waits for the row of a lane: it skips those that a transaction has
 * locked, which may be one that adds jobs and stays open.
 */
export class WorkRepo extends Effect.Service<WorkRepo>()("WorkRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeLanes = rows(LaneRow)
    const decodeFetched = rows(FetchedRow)
    const decodeIds = rows(Schema.Struct({ id: Schema.String }))

    const { timeout } = yield* Timing
    const lease = sql.literal(`now() + interval '${timeout("work.lease")} milliseconds'`)

    const passOver = (groups: ReadonlyArray<string>) =>
      groups.length === 0 ? sql`` : sql`and split_part(key, ${groupEnd}, 1) <> all (${groups}::text[])`

    return {
      /**
       * Takes the lanes that have been due longest, in this order, at most `most` of each kind, unless somebody holds them. Passes over the lanes of
       * these groups, each of which costs as much as one that is taken.
       */
      claim: (
        holder: string,
        kinds: ReadonlyArray<string>,
        most: number,
        groups: ReadonlyArray<string> = []
      ) =>
        decodeLanes(sql`
          with free as materialized (
            select lane.* from unnest(${kinds}::text[]) as wanted (kind) cross join lateral (
              select kind, key, greatest(due, lease) as since from work_lanes
              where kind = wanted.kind and greatest(due, lease) <= now() ${passOver(groups)}
              order by greatest(due, lease) limit ${most}
              for update skip locked
            ) as lane
            -- A constant, which the planner knows: it must look up these lanes, and not read all.
            limit ${sql.literal(String(claimSize))}
          ), taken as (
            update work_lanes l set holder = ${holder}, lease = ${lease}
            from free where l.kind = free.kind and l.key = free.key
            returning l.kind, l.key, since
          )
          select kind, key from taken order by since`),

      /** Holds lanes for longer. Returns those that this process still holds, also if their rows are locked. */
      renew: (holder: string, lanes: ReadonlyArray<LaneId>) =>
        decodeLanes(sql`
          with wanted as (
            select * from unnest(${kindsOf(lanes)}::text[], ${keysOf(lanes)}::text[]) as w (kind, key)
          ), free as materialized (
            select kind, key from work_lanes l join wanted using (kind, key)
            where holder = ${holder} for update of l skip locked
          ), renewed as (
            update work_lanes l set lease = ${lease} from free where l.kind = free.kind and l.key = free.key
          )
          select kind, key from work_lanes join wanted using (kind, key) where holder = ${holder}`),

      /**
       * The next due jobs of lanes that this process holds, at most `most` of each, without those that it has started. A lane without
       * such jobs has one row without a job; a lane that it no longer holds has none.
       */
      fetch: (holder: string, lanes: ReadonlyArray<LaneId>, most: number, started: ReadonlyArray<string>) =>
        decodeFetched(sql`
          select l.kind, l.key, l.version::float8 as version, job.job
          from unnest(${kindsOf(lanes)}::text[], ${keysOf(lanes)}::text[]) as wanted (kind, key)
          join work_lanes l on l.kind = wanted.kind and l.key = wanted.key and l.holder = ${holder}
          left join lateral (
            select jsonb_build_object('id', number::text, 'attempt', attempt, 'payload', payload,
              'waited', extract(epoch from now() - due)) as job
            from work_jobs
            where kind = wanted.kind and lane = wanted.key and due <= now() and number <> all (${started}::bigint[])
            order by due, number limit ${most}
          ) as job on true`),

      /**
       * Settles jobs that have run. Returns the ids of those that were still as this process knew them: another process may have taken
       * the lane and run the job, too.
       */
      settle: (jobs: ReadonlyArray<Settling>) =>
        decodeIds(sql`
          with ran as (
            select * from unnest(
              ${jobs.map(({ id }) => id)}::bigint[],
              ${jobs.map(({ attempt }) => attempt)}::int[],
              ${jobs.map(({ outcome }) => (outcome.kind === "again" ? outcome.after : null))}::float8[],
              ${jobs.map(({ outcome }) => (outcome.kind === "poison" ? outcome.reason : null))}::text[]
            ) as r (number, attempt, after, reason)
          ), later as (
            update work_jobs j set attempt = j.attempt + 1, due = now() + after * interval '1 millisecond' from ran
            where j.number = ran.number and j.attempt = ran.attempt and after is not null
            returning j.number
          ), ended as (
            delete from work_jobs j using ran
            where j.number = ran.number and j.attempt = ran.attempt and after is null
            returning j.*, reason
          ), set_aside as (
            insert into work_poison (number, kind, lane, attempt, payload, reason)
            select number, kind, lane, attempt + 1, payload, reason from ended where reason is not null
          )
          select number::text as id from later union all select number::text from ended`),

      /**
       * Releases lanes in which nothing is due any more until their next job is; deletes those without jobs. Leaves a lane to which jobs
       * were added since it had `version`. Returns the others.
       */
      release: (holder: string, lanes: ReadonlyArray<LaneId & { readonly version: number }>) =>
        decodeLanes(sql`
          with wanted as (
            select * from unnest(
              ${kindsOf(lanes)}::text[], ${keysOf(lanes)}::text[], ${lanes.map(({ version }) => version)}::bigint[]
            ) as w (kind, key, version)
          ), free as materialized (
            select l.kind, l.key, (select min(due) from work_jobs where kind = l.kind and lane = l.key) as next
            from work_lanes l join wanted using (kind, key)
            where l.holder = ${holder} and l.version = wanted.version
            for update of l skip locked
          ), waiting as (
            update work_lanes l set holder = null, lease = null, due = next
            from free where l.kind = free.kind and l.key = free.key and next is not null
          ), empty as (
            delete from work_lanes l using free where l.kind = free.kind and l.key = free.key and next is null
          )
          select kind, key from free`),

      /**
       * Releases lanes that may have more due jobs. Others that are due come before those that had a page of jobs. Returns those that this
       * process still holds, because a transaction has locked their rows.
       */
      giveBack: (holder: string, lanes: ReadonlyArray<LaneId & { readonly hadPage: boolean }>) =>
        decodeLanes(sql`
          with wanted as (
            select * from unnest(
              ${kindsOf(lanes)}::text[], ${keysOf(lanes)}::text[], ${lanes.map(({ hadPage }) => hadPage)}::boolean[]
            ) as w (kind, key, had_page)
          ), free as materialized (
            select kind, key, had_page from work_lanes l join wanted using (kind, key)
            where holder = ${holder} for update of l skip locked
          ), given as (
            update work_lanes l set holder = null, lease = null, due = case when had_page then now() else due end
            from free where l.kind = free.kind and l.key = free.key
          )
          select kind, key from work_lanes join wanted using (kind, key)
          where holder = ${holder} and (kind, key) not in (select kind, key from free)`)
    }
  })
}) {}
