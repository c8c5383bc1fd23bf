import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { onlyRow, row, rows } from "../../db/sql.ts"
import { JsonObject } from "../../shared/schemas.ts"
import { Attention, Funnel, SessionFigures, WaitingReviews } from "./model.ts"

const typed = Schema.typeSchema

const StepRow = typed(Funnel.fields.steps.value.omit("type"))

const { expiring_keys, failing_webhooks, plans_near_end } = Attention.fields

/** The median is of the newest completed sessions: of so many. */
const timed = 500

/** Waiting reviews are counted up to so many. */
const countedReviews = 500

/** A funnel is of the newest sessions: of so many. */
const counted = 5_000

interface Period {
  readonly from: Date | undefined
  readonly to: Date | undefined
}

/** What is read for the figures of a company. Each statement reads a bounded number of rows. */
export class FigureRepo extends Effect.Service<FigureRepo>()("FigureRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeDays = rows(typed(SessionFigures.fields.days.value))
    const decodeMedian = onlyRow(Schema.Struct({ median: Schema.NullOr(Schema.Number) }))
    const decodeWebhooks = rows(typed(failing_webhooks.value))
    const decodeKeys = rows(typed(expiring_keys.value))
    const decodePlans = rows(typed(plans_near_end.value))
    const decodeReviews = onlyRow(typed(WaitingReviews))
    const decodeWorkflow = row(Schema.Struct({ workflow: typed(JsonObject) }))
    const decodeCounted = onlyRow(
      Schema.Struct({ sessions: Schema.Number, completed: Schema.Number, steps: Schema.Array(StepRow) })
    )

    return {
      /** Every one of the last `days` days, today included. */
      days: (companyId: string, days: number, instanceId: string | undefined) =>
        decodeDays(sql`
          select to_char(d.day, 'YYYY-MM-DD') as day, coalesce(sum(c.created), 0)::int as created,
            coalesce(sum(c.completed), 0)::int as completed, coalesce(sum(c.failed), 0)::int as failed,
            coalesce(sum(c.cancelled), 0)::int as cancelled, coalesce(sum(c.expired), 0)::int as expired
          from (
            select (now() at time zone 'UTC')::date - ago as day from generate_series(0, ${days}::int - 1) as ago
          ) as d left join lateral (
            select * from kyc_session_days k where k.company_id = ${companyId} and k.day = d.day and k.mode = 'prod'
              ${instanceId === undefined ? sql`` : sql`and k.instance_id = ${instanceId}`} offset 0
          ) as c on true
          group by d.day order by d.day`),

      /** Of sessions that were created in these days. */
      medianSeconds: (companyId: string, days: number, instanceId: string | undefined) =>
        decodeMedian(
          sql`
            select percentile_cont(0.5) within group (order by extract(epoch from completed_at - coalesce(started_at, created_at)))
              filter (where mode = 'prod') as median
            from (
              select * from kyc_sessions where company_id = ${companyId} and status = 'completed'
                and created_at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - (${days}::int - 1) * interval '1 day'
                ${instanceId === undefined ? sql`` : sql`and instance_id = ${instanceId}`}
              order by created_at desc, id desc limit ${timed}
            ) as newest`.unprepared
        ),

      /** Of all instances: their reviews wait in one queue. */
      waitingReviews: (companyId: string) => {
        const inStatus = (status: "pending" | "proposed") => sql`(
          select waiting_since from kyc_reviews where company_id = ${companyId} and status = ${status}
          order by ordered_at, session_id limit ${countedReviews})`
        return decodeReviews(
          sql`
            select least(count(*), ${countedReviews})::int as waiting, min(waiting_since) as oldest_at
            from (${inStatus("pending")} union all ${inStatus("proposed")}) as undecided`.unprepared
        )
      },

      failingWebhooks: (companyId: string) =>
        decodeWebhooks(sql`
          select id, url, failing_since, disabled_at from webhook_endpoints
          where company_id = ${companyId} and removed_at is null
            and (failing_since is not null or disabled_reason in ('gone', 'failing'))
          order by created_at, id limit 20`),

      /** Not those that were made for less than a week, such as by the docs: their end surprises nobody. */
      expiringKeys: (companyId: string) =>
        decodeKeys(sql`
          select id, name, expires_at from api_keys
          where company_id = ${companyId} and revoked_at is null and expires_at > now() and expires_at < now() + interval '30 days'
            and expires_at >= created_at + interval '7 days'
          order by expires_at, id limit 20`),

      /** By the events that say so: the latest of each API, plan and mode. Who cancels and subscribes again goes on from the same usage. */
      plansNearEnd: (companyId: string) =>
        decodePlans(sql`
          with reached as materialized (
            select data ->> 'id' as id, data ->> 'mode' as mode, (data ->> 'percent')::int as percent
            from events
            where company_id = ${companyId} and type = 'marketplace.quota.reached' and created_at > now() - interval '30 days'
              and data ->> 'month' = to_char(now() at time zone 'UTC', 'YYYY-MM')
            order by position desc limit 20
          )
          select s.id, a.name as api_name, r.mode, max(r.percent) as percent
          from reached r join subscriptions before on before.id = r.id::uuid
            join subscriptions s on s.company_id = before.company_id and s.api_id = before.api_id and s.plan_id = before.plan_id
            join apis a on a.id = s.api_id
          where s.status = 'active' group by 1, 2, 3 order by percent desc, api_name, id`),

      workflow: (companyId: string, instanceId: string) =>
        decodeWorkflow(sql`
          select v.workflow from kyc_instances i join kyc_instance_versions v on v.id = i.version_id
          where i.company_id = ${companyId} and i.id = ${instanceId}`),

      /**
       * @param steps the ids of the steps, in order. A session came to the steps that it answered, and to the one after its last answer. It
       *   failed at the step that it answered last, and left at the one to which it came last. Tests, resubmissions and redacted sessions are not counted, after the limit: so
       *   the statement reads no more than that, however many there are.
       */
      funnel: (companyId: string, instanceId: string, { from, to }: Period, steps: ReadonlyArray<string>) =>
        decodeCounted(
          sql`
            with step as materialized (
              select id, place::int from unnest(${steps}::text[]) with ordinality as s (id, place)
            ), latest as materialized (
              select one.* from unnest(array['created', 'running', 'completed', 'failed', 'cancelled']) as merged (status)
                cross join lateral (
                  select s.id, s.status, s.mode, s.created_at, s.expires_at, s.step_seconds, s.redacted_at,
                    s.previous_session_id from kyc_sessions s
                  where s.company_id = ${companyId} and s.instance_id = ${instanceId} and s.status = merged.status
                    and s.created_at >= coalesce(${from ?? null}::timestamptz, now() - interval '30 days')
                    and s.created_at < coalesce(${to ?? null}::timestamptz, 'infinity')
                  order by s.created_at desc, s.id desc limit ${counted}
                ) as one
              order by created_at desc, id desc limit ${counted}
            ), newest as materialized (
              select * from latest where mode = 'prod' and redacted_at is null and previous_session_id is null
            ), answer as materialized (
              select n.id as session_id, step.place, a.seconds::numeric::int
                - coalesce(lag(a.seconds::numeric::int) over (partition by n.id order by a.seconds::numeric::int, step.place), 0) as seconds
              from newest n cross join lateral jsonb_each_text(n.step_seconds) as a (step_id, seconds)
                join step on step.id = a.step_id
            ), reached as materialized (
              select n.id, n.status, n.status in ('created', 'running') and n.expires_at <= now() as expired,
                coalesce(max(a.place), 0) as last
              from newest n left join answer a on a.session_id = n.id group by n.id, n.status, n.expires_at
            ), answered as (
              select place, count(*) as n, percentile_cont(0.5) within group (order by seconds) as median from answer group by place
            ), stopped as (
              select last + 1 as place, count(*) as n, count(*) filter (where status = 'cancelled' or expired) as gone
              from reached where status not in ('completed', 'failed') group by 1
            ), failed as (
              select greatest(last, 1) as place, count(*) as n from reached where status = 'failed' group by 1
            )
            select (select count(*)::int from newest) as sessions,
              (select count(*)::int from newest where status = 'completed') as completed,
              coalesce((
                select jsonb_agg(jsonb_build_object('step', step.id,
                  'came', coalesce(answered.n, 0) + coalesce(stopped.n, 0) + case when step.place = 1 then coalesce((
                    select count(*) from reached where status = 'failed' and last = 0), 0) else 0 end,
                  'answered', coalesce(answered.n, 0), 'left', coalesce(stopped.gone, 0), 'failed', coalesce(failed.n, 0),
                  'median_seconds', answered.median) order by step.place)
                from step left join answered using (place) left join stopped using (place) left join failed using (place)
              ), '[]') as steps`.unprepared
        )
    }
  })
}) {}
