import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { onlyRow, row, rows } from "../../db/sql.ts"
import { writeDay } from "./calendar-model.ts"
import { KeyUsage, Mode, outcomes, SubscriptionUsage } from "./model.ts"

/** Both ends are inclusive. */
export interface Period {
  readonly from: number
  readonly to: number
}

const counted = { mode: Mode, outcome: Schema.Literal(...outcomes), calls: Schema.Number }

const CountedDay = Schema.Struct({ day: Schema.Number, ...counted })
/** Grouped by day or by key; the other is null. */
const CountedGroup = Schema.Struct({
  day: Schema.NullOr(Schema.Number),
  key_id: Schema.NullOr(Schema.String),
  ...counted
})
const Key = KeyUsage.pick("id", "name", "mode", "token_prefix")
const CountedSubscription = Schema.Struct({
  subscription: SubscriptionUsage.pick("id", "status", "company_name", "plan"),
  ...counted
})

/** Reads usage from Postgres. */
export class UsageRepo extends Effect.Service<UsageRepo>()("UsageRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeSubscription = row(
      Schema.Struct({ id: Schema.String, api_id: Schema.String, limit: Schema.NullOr(Schema.Number) })
    )
    const decodeApi = row(Schema.Struct({ id: Schema.String }))
    const decodeDays = rows(CountedDay)
    const decodeGroups = rows(CountedGroup)
    const decodeKeys = rows(Key)
    const decodeSubscriptions = rows(CountedSubscription)
    const decodeTotal = onlyRow(Schema.Struct({ total: Schema.Number }))

    const within = ({ from, to }: Period): Statement.Fragment =>
      sql`u.day between ${writeDay(from)}::date and ${writeDay(to)}::date`

    return {
      /** The company's subscription, its API, and its plan's requests per month. */
      subscription: (companyId: string, id: string) =>
        decodeSubscription(sql`
          select s.id, s.api_id, p.requests_per_month::float8 as limit
          from subscriptions s join api_plans p on p.id = s.plan_id
          where s.id = ${id} and s.company_id = ${companyId}`),

      /** The API, if the company publishes it. */
      publishedBy: (companyId: string, apiId: string) =>
        decodeApi(sql`
          select a.id from apis a join publishers p on p.id = a.publisher_id
          where a.id = ${apiId} and p.company_id = ${companyId}`),

      /** By day and by key. In one statement, so that both have the same total. */
      ofSubscription: (subscriptionId: string, period: Period) =>
        decodeGroups(sql`
          select u.day - date '1970-01-01' as day, k.id as key_id, k.mode, u.outcome,
            sum(u.calls)::float8 as calls
          from api_usage u join marketplace_keys k on k.id = u.key_id
          where u.subscription_id = ${subscriptionId} and ${within(period)}
          group by grouping sets ((u.day, k.mode, u.outcome), (k.id, k.mode, u.outcome))`),

      /** Every key of the subscription, oldest first. */
      keys: (subscriptionId: string) =>
        decodeKeys(sql`
          select id, name, mode, token_prefix from marketplace_keys
          where subscription_id = ${subscriptionId} order by created_at, id`),

      daysOfApi: (apiId: string, period: Period) =>
        decodeDays(sql`
          select u.day - date '1970-01-01' as day, k.mode, u.outcome, sum(u.calls)::float8 as calls
          from api_usage u join marketplace_keys k on k.id = u.key_id
          where u.subscription_id in (select id from subscriptions where api_id = ${apiId}) and ${within(period)}
          group by u.day, k.mode, u.outcome`),

      /** By subscription, mode and outcome. A page of the subscriptions with calls in the period, oldest first. */
      subscriptions: (apiId: string, period: Period, limit: number, offset: number) =>
        decodeSubscriptions(sql`
          with page as (
            select s.id, s.status, s.created_at, s.company_id, s.plan_id from subscriptions s
            where s.api_id = ${apiId}
              and exists (select from api_usage u where u.subscription_id = s.id and ${within(period)})
            order by s.created_at, s.id limit ${limit} offset ${offset}
          )
          select json_build_object('id', page.id, 'status', page.status, 'company_name', c.name,
              'plan', json_build_object('id', p.id, 'name', p.name)) as subscription,
            k.mode, u.outcome, sum(u.calls)::float8 as calls
          from page
          join companies c on c.id = page.company_id
          join api_plans p on p.id = page.plan_id
          join api_usage u on u.subscription_id = page.id and ${within(period)}
          join marketplace_keys k on k.id = u.key_id
          group by page.id, page.status, page.created_at, c.id, p.id, k.mode, u.outcome
          order by page.created_at, page.id`),

      countSubscriptions: (apiId: string, period: Period) =>
        Effect.map(
          decodeTotal(sql`
            select count(*)::int as total from subscriptions s
            where s.api_id = ${apiId}
              and exists (select from api_usage u where u.subscription_id = s.id and ${within(period)})`),
          ({ total }) => total
        )
    }
  })
}) {}
