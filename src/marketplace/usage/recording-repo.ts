import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { recordEvents } from "../../db/outbox.ts"
import { onlyRow, orDie, rows } from "../../db/sql.ts"
import { writeDay } from "./calendar-model.ts"
import { type AccountId, billedOutcomes, type Outcome, UpstreamKind } from "./model.ts"

/** The use of an account's month, across all processes. */
const MonthRow = Schema.Struct({
  company_id: Schema.String,
  api_id: Schema.String,
  upstream: UpstreamKind,
  /** The month's first day, as days since 1970-01-01. */
  month: Schema.Number,
  used: Schema.Number
})

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
    const decodeMonths = rows(MonthRow)
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

    return {
      /**
       * Adds a batch to the counts, completely and exactly once: a recorder numbers its batches upwards, so a
       * retry changes nothing. Moves the keys' `last_used_at` forward, at most once a minute over all
       * processes. Records the event of each plan's month that comes to 80 or 100 percent. Returns the months that
       * the batch affects, with the batch included.
       */
      write: (recorder: string, batch: number, additions: ReadonlyArray<Addition>) =>
        decodeMonths(sql`
          with fresh as (
            insert into api_usage_recorders as recorder (id, batch) values (${recorder}, ${batch})
            on conflict (id) do update set batch = excluded.batch, written_at = now()
              where recorder.batch < excluded.batch
            returning 1
          ), given as (
            select key.id as key_id, key.subscription_id, s.company_id, s.api_id, given.upstream, given.day,
              given.outcome, given.calls,
              date_trunc('month', given.day::timestamp)::date as month,
              now() - given.age * interval '1 millisecond' as at
            from unnest(
              ${additions.map(({ keyId }) => keyId)}::uuid[],
              ${additions.map(({ upstream }) => upstream)}::text[],
              ${additions.map(({ day }) => writeDay(day))}::date[],
              ${additions.map(({ outcome }) => outcome)}::text[],
              ${additions.map(({ calls }) => calls)}::bigint[],
              ${additions.map(({ age }) => age)}::float8[]
            ) as given (key_id, upstream, day, outcome, calls, age)
            join marketplace_keys key on key.id = given.key_id
            join subscriptions s on s.id = key.subscription_id
          ), daily as (
            insert into api_usage as usage (key_id, day, outcome, subscription_id, calls)
            select key_id, day, outcome, subscription_id, sum(calls) from given
            where exists (select from fresh)
            group by key_id, day, outcome, subscription_id
            -- In one order, so that two processes wait for each other's rows and not for ever.
            order by key_id, day, outcome
            on conflict (key_id, day, outcome) do update set calls = usage.calls + excluded.calls
          ), added as materialized (
            select company_id, api_id, upstream, month,
              coalesce(sum(calls) filter (where outcome = any (${billedOutcomes}::text[])), 0)::bigint as used
            from given where exists (select from fresh)
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
            join (select key_id, max(at) as at from given group by key_id) as latest on latest.key_id = key.id
            where last_used_at is null or last_used_at < latest.at - interval '59 seconds'
            order by key.id for no key update of key
          ), touched as (
            update marketplace_keys set last_used_at = due.at from due where marketplace_keys.id = due.id
          ), present as (
            select * from monthly
            union all
            select distinct total.* from api_usage_counts total
            join given on (given.company_id, given.api_id, given.upstream, given.month)
              = (total.company_id, total.api_id, total.upstream, total.month)
            where not exists (select from fresh)
          )
          select company_id, api_id, upstream, month - date '1970-01-01' as month, used::float8 as used
          from present`),

      /** The written use of the account's month that begins on `month`. */
      used: ({ apiId, companyId, upstream }: AccountId, month: number) =>
        Effect.map(
          decodeUsed(sql`
            select coalesce(sum(used), 0)::float8 as used from api_usage_counts
            where company_id = ${companyId} and api_id = ${apiId} and upstream = ${upstream}
              and month = ${writeDay(month)}::date`),
          ({ used }) => used
        ),

      /** Deletes the records of processes that have written nothing for a week. */
      deleteOldRecorders: orDie(
        sql`delete from api_usage_recorders where written_at < now() - interval '7 days'`
      )
    }
  })
}) {}
