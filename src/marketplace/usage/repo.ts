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
const Subscription = SubscriptionUsage.pick("id", "status", "company_name", "plan")
const CountedSubscription = Schema.Struct({ id: Schema.String, ...counted })

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
    const decodeSubscriptions = rows(Subscription)
    const decodeBySubscription = rows(CountedSubscription)
    const decodeTotal = onlyRow(Schema.Struct({ total: Schema.Number }))

    const within = ({ from, to }: Period): Statement.Fragment =>
      sql`u.day between ${writeDay(from)}::date and ${writeDay(to)}::date`

    const withCalls = (apiId: string, period: Period, others: ReadonlyArray<string>): Statement.Fragment =>
      sql`s.api_id = ${apiId} and (
        exists (select from api_usage u where u.subscription_id = s.id and ${within(period)})
        or s.id = any (${others}::uuid[])
      )`

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

      /**
       * A page of the subscriptions with calls in the period, oldest first.
       * @param others more subscriptions that have some, elsewhere
       */
      subscriptions: (
        apiId: string,
        period: Period,
        others: ReadonlyArray<string>,
        limit: number,
        offset: number
      ) =>
        decodeSubscriptions(sql`
          select s.id, s.status, c.name as company_name, json_build_object('id', p.id, 'name', p.name) as plan
          from subscriptions s
          join companies c on c.id = s.company_id
          join api_plans p on p.id = s.plan_id
          where ${withCalls(apiId, period, others)}
          order by s.created_at, s.id limit ${limit} offset ${offset}`),

      countSubscriptions: (apiId: string, period: Period, others: ReadonlyArray<string>) =>
        Effect.map(
          decodeTotal(sql`
            select count(*)::int as total from subscriptions s where ${withCalls(apiId, period, others)}`),
          ({ total }) => total
        ),

      /** By subscription, mode and outcome. */
      bySubscription: (subscriptionIds: ReadonlyArray<string>, period: Period) =>
        decodeBySubscription(sql`
          with by_key as (
            select u.subscription_id, u.key_id, u.outcome, sum(u.calls) as calls from api_usage u
            where u.subscription_id = any (${subscriptionIds}::uuid[]) and ${within(period)}
            group by u.subscription_id, u.key_id, u.outcome
          )
          select b.subscription_id as id, k.mode, b.outcome, sum(b.calls)::float8 as calls
          -- Looked up one by one: Postgres would otherwise read all keys for a subscription with many of them.
          from by_key b cross join lateral (select mode from marketplace_keys where id = b.key_id offset 0) as k
          group by b.subscription_id, k.mode, b.outcome`)
    }
  })
}) {}
