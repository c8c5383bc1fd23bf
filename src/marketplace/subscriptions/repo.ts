import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { notify } from "../../db/changes.ts"
import { recordEvents, recordingEvents } from "../../db/outbox.ts"
import { failsOn, onlyRow, row, rows } from "../../db/sql.ts"
import { AlreadySubscribed } from "./errors.ts"
import { listedEnded, NewSubscription, Subscription, SubscriptionStatus } from "./model.ts"

/** The topic for cancelled subscriptions; the message is the subscription's id. */
export const subscriptionChangedTopic = "subscription-changed"

const SubscriptionRow = Schema.typeSchema(Subscription)

interface SubscriptionToMake {
  readonly id: string
  readonly companyId: string
  readonly apiId: string
  readonly planId: string
}

/** Subscriptions in Postgres. */
export class SubscriptionRepo extends Effect.Service<SubscriptionRepo>()("SubscriptionRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeAll = rows(SubscriptionRow)
    const decodeOne = row(SubscriptionRow)
    const decodeNew = onlyRow(Schema.typeSchema(NewSubscription))
    const decodeOffer = row(Schema.Struct({ api_name: Schema.String, has_plan: Schema.Boolean }))
    const decodeStatus = row(Schema.Struct({ status: SubscriptionStatus }))
    const decodeCancelled = row(
      Schema.Struct({ api_id: Schema.String, api_name: Schema.String, was_active: Schema.Boolean })
    )

    const subscriptions = sql.literal(`
      select s.id, s.api_id, s.plan_id, s.status, s.created_at, s.cancelled_at,
        json_build_object('id', a.id, 'publisher_slug', p.slug, 'publisher_name', p.name, 'slug', a.slug,
          'name', a.name, 'published', a.status = 'published') as api,
        json_build_object('id', l.id, 'name', l.name, 'requests_per_minute', l.requests_per_minute,
          'requests_per_month', l.requests_per_month) as plan
      from subscriptions s
      join apis a on a.id = s.api_id
      join publishers p on p.id = a.publisher_id
      join api_plans l on l.id = s.plan_id`)

    /** Records an event for the subscriber and one for the publisher. */
    const subscriptionEvents = (what: "created" | "cancelled", from: Statement.Fragment) =>
      recordEvents(sql, `marketplace.subscription.${what}`, {
        companyId: sql`told.company_id`,
        data: sql`jsonb_build_object('id', s.id, 'api_id', s.api_id, 'plan_id', s.plan_id, 'status', s.status,
          'url', '/api/api-marketplace/' || told.path)`,
        from: sql`${from} s join apis a on a.id = s.api_id join publishers p on p.id = a.publisher_id
          cross join lateral (
            values (s.company_id, 'subscriptions/' || s.id), (p.company_id, 'publisher/apis')
          ) as told (company_id, path)`
      })

    return {
      /** Newest first: all active ones, and the newest of the cancelled ones. */
      list: (companyId: string) =>
        decodeAll(sql`
          ${subscriptions} where s.id in (
            select id from subscriptions where company_id = ${companyId} and status = 'active'
            union all (
              select id from subscriptions where company_id = ${companyId} and status = 'cancelled'
              order by created_at desc, id desc limit ${listedEnded}
            )
          ) order by s.created_at desc, s.id desc`),

      find: (companyId: string, id: string) =>
        decodeOne(sql`${subscriptions} where s.company_id = ${companyId} and s.id = ${id}`),

      /** The status, locked for the rest of the transaction. */
      lock: (companyId: string, id: string) =>
        decodeStatus(sql`
          select status from subscriptions where company_id = ${companyId} and id = ${id} for no key update`),

      /** The API's name, and whether it has the plan. None if nobody can subscribe to the API. */
      offer: (apiId: string, planId: string | undefined) =>
        decodeOffer(sql`
          select a.name as api_name,
            exists (select from api_plans p where p.api_id = a.id and p.id = ${planId ?? null}) as has_plan
          from apis a where a.id = ${apiId} and a.status = 'published'`),

      insert: ({ apiId, companyId, id, planId }: SubscriptionToMake) =>
        sql`
          with added as (
            insert into subscriptions (id, company_id, api_id, plan_id)
            values (${id}, ${companyId}, ${apiId}, ${planId})
            returning id, company_id, api_id, plan_id, status, created_at
          ), recorded as (${subscriptionEvents("created", sql`added`)})
          select id, api_id, plan_id, status, created_at from added`.pipe(
          failsOn("subscriptions_active", () => new AlreadySubscribed()),
          decodeNew,
          recordingEvents
        ),

      /** Notifies every process in the same statement. None if the company has no such subscription. */
      cancel: (companyId: string, id: string) =>
        decodeCancelled(sql`
          with subscription as (
            select id, api_id, plan_id, status = 'active' as was_active from subscriptions
            where company_id = ${companyId} and id = ${id} for no key update
          ), cancelled as (
            update subscriptions s set status = 'cancelled', cancelled_at = now()
            from subscription where s.id = subscription.id and subscription.was_active
            returning s.*
          ), recorded as (${subscriptionEvents("cancelled", sql`cancelled`)})
          select s.api_id, a.name as api_name, s.was_active, ${notify(subscriptionChangedTopic, id)}
          from subscription s join apis a on a.id = s.api_id`).pipe(recordingEvents)
    }
  })
}) {}
