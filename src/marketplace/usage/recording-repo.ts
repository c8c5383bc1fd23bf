import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { recordEvents, recordingEvents } from "../../db/outbox.ts"
import { onlyRow, orDie } from "../../db/sql.ts"
import { writeDay } from "./calendar-model.ts"
import { type AccountId, billedOutcomes, type Outcome, UpstreamKind } from "./model.ts"

/** Arbitrary; no other advisory lock of this service uses it. Its holder adds batches to the counts. */
export const turnLock = 4_702_111_236

/** Batches that one statement takes over from other processes, at most. */
const mostTaken = 500

/** Stands for no process: it has no batches. */
const noRecorder = "00000000-0000-0000-0000-000000000000"

/** The use of an account's month, across all processes. */
const MonthRow = Schema.Struct({
  company_id: Schema.String,
  api_id: Schema.String,
  upstream: UpstreamKind,
  /** The month's first day, as days since 1970-01-01. */
  month: Schema.Number,
  used: Schema.Number
})
export type MonthRow = typeof MonthRow.Type

const Counted = Schema.Struct({ counted: Schema.Boolean, months: Schema.Array(MonthRow) })

/** An account's month that begins on `month`. */
export interface AccountMonth {
  readonly account: AccountId
  readonly month: number
}

/** Calls of one key to one upstream, by day and outcome. */
export interface Addition {
  readonly keyId: string
  readonly upstream: UpstreamKind
  readonly day: number
  readonly outcome: Outcome
  readonly calls: number
  /** Milliseconds since the last of these calls. */
  readonly age: number
}

/** Writes usage to Postgres. */
export class UsageRecordingRepo extends Effect.Service<UsageRecordingRepo>()("UsageRecordingRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeCounted = onlyRow(Counted)
    const decodeUsed = onlyRow(Schema.Struct({ used: Schema.Number }))

    /** For each month of `monthly` whose count comes to 80 or 100 percent of the plan: an event for the subscriber. */
    const quotaEvents = recordEvents(sql, "marketplace.quota.reached", {
      companyId: sql`company_id`,
      data: sql.literal(`jsonb_build_object('id', id, 'api_id', api_id, 'plan_id', plan_id,
        'mode', case upstream when 'live' then 'live' else 'test' end, 'percent', percent,
        'month', to_char(month, 'YYYY-MM'), 'url', '/api/api-marketplace/subscriptions/' || id || '/usage')`),
      from: sql.literal(`(
        select s.id, s.company_id, s.api_id, s.plan_id, total.upstream, total.month, step.percent
        from monthly total
        join added using (company_id, api_id, upstream, month)
        join subscriptions s on s.company_id = total.company_id and s.api_id = total.api_id and s.status = 'active'
        join api_plans p on p.id = s.plan_id
        cross join (values (80), (100)) as step (percent)
        where (total.used - added.used) * 100 < p.requests_per_month * step.percent
          and total.used * 100 >= p.requests_per_month * step.percent
        order by step.percent
      ) as reached`)
    })

    /**
     * Stores a batch, completely and exactly once: a recorder numbers its batches upwards, so a retry changes
     * nothing. If no other process is at it, the batch is added to the counts, with all batches that wait, and `counted` is
     * true; `months` are then those that the batch affects, with the batch included. Otherwise the batch waits: see
     * `waiting`. Without additions, it only adds what waits.
     *
     * What is added moves the keys' `last_used_at` forward, at most once a minute over all processes, and records the event
     * of each plan's month that comes to 80 or 100 percent.
     *
     * @param withRows whether the calls also go into `api_usage`, for people
     */
    const write = (recorder: string, batch: number, additions: ReadonlyArray<Addition>, withRows = true) =>
      decodeCounted(sql`
        with turn as materialized (
          select pg_try_advisory_xact_lock(${turnLock}) as ours
        ), fresh as (
          insert into api_usage_recorders as recorder (id, batch) values (${recorder}, ${batch})
          on conflict (id) do update set batch = excluded.batch, written_at = now()
            where recorder.batch < excluded.batch
          returning 1
        ), own as materialized (
          select key_id, upstream, day, outcome, calls, now() - age * interval '1 millisecond' as at,
            ${withRows}::boolean as with_rows
          from unnest(
            ${additions.map(({ keyId }) => keyId)}::uuid[],
            ${additions.map(({ upstream }) => upstream)}::text[],
            ${additions.map(({ day }) => writeDay(day))}::date[],
            ${additions.map(({ outcome }) => outcome)}::text[],
            ${additions.map(({ calls }) => calls)}::bigint[],
            ${additions.map(({ age }) => age)}::float8[]
          ) as given (key_id, upstream, day, outcome, calls, age)
          where exists (select from fresh)
        ), left_here as (
          insert into api_usage_batches (recorder, batch, with_rows, key_ids, upstreams, days, outcomes, calls, last_at)
          select ${recorder}, ${batch}, ${withRows}, array_agg(key_id), array_agg(upstream), array_agg(day), array_agg(outcome),
            array_agg(calls), array_agg(at)
          from own where not (select ours from turn) having count(*) > 0
        ), taken as (
          delete from api_usage_batches
          where (select ours from turn)
            and (recorder, batch) in (
              select recorder, batch from api_usage_batches order by written_at limit ${mostTaken}
            )
          returning with_rows, key_ids, upstreams, days, outcomes, calls, last_at
        ), given as (
          select key_id, upstream, day, outcome, with_rows, sum(calls) as calls, max(at) as at
          from (
            select * from own where (select ours from turn)
            union all
            select each.*, taken.with_rows from taken,
              unnest(key_ids, upstreams, days, outcomes, taken.calls, last_at)
                as each (key_id, upstream, day, outcome, calls, at)
          ) as summed
          group by key_id, upstream, day, outcome, with_rows
        ), known as materialized (
          select key.id as key_id, key.subscription_id, s.company_id, s.api_id, given.upstream, given.day,
            given.outcome, given.with_rows, given.calls, given.at, date_trunc('month', given.day::timestamp)::date as month
          from given
          join marketplace_keys key on key.id = given.key_id
          join subscriptions s on s.id = key.subscription_id
        ), daily as (
          insert into api_usage as usage (key_id, day, outcome, subscription_id, calls)
          select key_id, day, outcome, subscription_id, sum(calls) from known where with_rows
          group by key_id, day, outcome, subscription_id
          order by key_id, day, outcome
          on conflict (key_id, day, outcome) do update set calls = usage.calls + excluded.calls
        ), added as materialized (
          select company_id, api_id, upstream, month,
            coalesce(sum(calls) filter (where outcome = any (${billedOutcomes}::text[])), 0)::bigint as used
          from known
          group by company_id, api_id, upstream, month
        ), monthly as (
          insert into api_usage_counts as total (company_id, api_id, upstream, month, used)
          select company_id, api_id, upstream, month, used from added
          order by company_id, api_id, upstream, month
          on conflict (company_id, api_id, upstream, month) do update set used = total.used + excluded.used
          returning company_id, api_id, upstream, month, used
        ), recorded as (${quotaEvents}), due as (
          select key.id, latest.at
          from marketplace_keys key
          join (select key_id, max(at) as at from known group by key_id) as latest on latest.key_id = key.id
          where last_used_at is null or last_used_at < latest.at - interval '59 seconds'
          order by key.id for no key update of key
        ), touched as (
          update marketplace_keys set last_used_at = due.at from due where marketplace_keys.id = due.id
        )
        select (select ours from turn) and exists (select from fresh) as counted, coalesce((
          select json_agg(json_build_object('company_id', company_id, 'api_id', api_id, 'upstream', upstream,
            'month', month - date '1970-01-01', 'used', used))
          from monthly
          where (company_id, api_id, upstream, month) in (
            select known.company_id, known.api_id, known.upstream, known.month
            from known join own on own.key_id = known.key_id
          )
        ), '[]') as months`).pipe(recordingEvents)

    return {
      write,

      /**
       * Whether the recorder's batches have all been added to the counts. If they have, what all processes have written for these
       * months; those of which nothing is written are left out.
       */
      waiting: (recorder: string, accountMonths: ReadonlyArray<AccountMonth>) =>
        decodeCounted(sql`
          select not exists (select from api_usage_batches where recorder = ${recorder}) as counted, coalesce((
            select json_agg(json_build_object('company_id', company_id, 'api_id', api_id, 'upstream', upstream,
              'month', month - date '1970-01-01', 'used', used))
            from unnest(
              ${accountMonths.map(({ account }) => account.companyId)}::uuid[],
              ${accountMonths.map(({ account }) => account.apiId)}::uuid[],
              ${accountMonths.map(({ account }) => account.upstream)}::text[],
              ${accountMonths.map(({ month }) => writeDay(month))}::date[]
            ) as asked (company_id, api_id, upstream, month)
            join api_usage_counts using (company_id, api_id, upstream, month)
          ), '[]') as months`),

      /** The written use of the account's month that begins on `month`. */
      used: ({ apiId, companyId, upstream }: AccountId, month: number) =>
        Effect.map(
          decodeUsed(sql`
            select coalesce(sum(used), 0)::float8 as used from api_usage_counts
            where company_id = ${companyId} and api_id = ${apiId} and upstream = ${upstream}
              and month = ${writeDay(month)}::date`),
          ({ used }) => used
        ),

      /** Adds what waits, if no process is left that would. */
      addWaiting: Effect.asVoid(write(noRecorder, 0, [])),

      /**
       * Creates the partitions of the next months, if they are missing, and drops those of old months.
       * @param keptMonths how many to keep before the current one; unset: all
       */
      rollPartitions: (keptMonths?: number) =>
        Effect.asVoid(orDie(sql`call roll_usage_partitions(${keptMonths ?? null})`)),

      /** Deletes the records of processes that have written nothing for a week. */
      deleteOldRecorders: orDie(
        sql`delete from api_usage_recorders where written_at < now() - interval '7 days'`
      )
    }
  })
}) {}
