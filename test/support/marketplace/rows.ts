/** Inserts marketplace rows directly, as the catalog and subscription routes would write them. */
import { Effect, type Redacted } from "effect"
import type { PlannedCall } from "../../../src/marketplace/limits/model.ts"
import { accountIdOf } from "../../../src/marketplace/usage/model.ts"
import { newId } from "../../../src/shared/identifier.ts"
import { execute } from "../postgres.ts"

export interface PlanLimits {
  readonly requestsPerMinute?: number
  readonly requestsPerMonth?: number
}

export interface PublishedApi {
  readonly apiId: string
  readonly planId: string
  readonly plan: { readonly requestsPerMinute: number | null; readonly requestsPerMonth: number | null }
}

/** Inserts an API with one plan named `Starter`, and makes its company a publisher. */
export const publish = (databaseUrl: Redacted.Redacted, companyId: string, limits: PlanLimits = {}) =>
  Effect.gen(function* () {
    const [publisherId, apiId, planId] = [newId(), newId(), newId()]
    const plan = {
      requestsPerMinute: limits.requestsPerMinute ?? null,
      requestsPerMonth: limits.requestsPerMonth ?? null
    }
    yield* execute(
      databaseUrl,
      `with publisher as (
         insert into publishers (id, company_id, slug, name) values ($1::uuid, $2, 'p-' || $1::uuid, 'Publisher') returning id
       ), api as (
         insert into apis (id, publisher_id, slug, name, description, status, published_at)
         select $3::uuid, id, 'a-' || $3::uuid, 'API', '', 'published', now() from publisher
       )
       insert into api_plans (id, api_id, name, requests_per_minute, requests_per_month)
       values ($4, $3::uuid, 'Starter', $5, $6)`,
      [publisherId, companyId, apiId, planId, plan.requestsPerMinute, plan.requestsPerMonth]
    )
    return { apiId, planId, plan } satisfies PublishedApi
  })

/** A company without users. */
export const company = (databaseUrl: Redacted.Redacted) => {
  const id = newId()
  return Effect.as(execute(databaseUrl, "insert into companies (id, name) values ($1, 'Acme')", [id]), id)
}

/** A key of the subscription and the calls with it. Calls with a test key go to a sandbox. */
export const subscriptionKey = (
  databaseUrl: Redacted.Redacted,
  { apiId, plan }: PublishedApi,
  subscriptionId: string,
  mode: "live" | "test" = "live",
  name = "key"
) => {
  const keyId = newId()
  return Effect.map(
    execute(
      databaseUrl,
      `insert into marketplace_keys (id, subscription_id, name, mode, token_hash, token_prefix)
       values ($1, $2, $3, $4, $5, $6)
       returning (select company_id from subscriptions where id = subscription_id) as company_id`,
      [keyId, subscriptionId, name, mode, Buffer.from(keyId), `dk_${mode}_x`]
    ),
    ([row]) =>
      ({
        keyId,
        mode,
        subscriptionId,
        account: accountIdOf(String(row?.company_id), apiId, mode === "live" ? "live" : "sandbox"),
        ...plan
      }) satisfies PlannedCall
  )
}

/** Inserts a subscription of the company. */
export const subscription = (databaseUrl: Redacted.Redacted, api: PublishedApi, companyId: string) => {
  const id = newId()
  return Effect.as(
    execute(
      databaseUrl,
      "insert into subscriptions (id, company_id, api_id, plan_id) values ($1, $2, $3, $4)",
      [id, companyId, api.apiId, api.planId]
    ),
    id
  )
}

/** Inserts a publisher with an API and a subscriber, and returns the calls with the subscriber's live key. */
export const subscribed = (databaseUrl: Redacted.Redacted, limits: PlanLimits = {}) =>
  Effect.gen(function* () {
    const api = yield* publish(databaseUrl, yield* company(databaseUrl), limits)
    const subscriptionId = yield* subscription(databaseUrl, api, yield* company(databaseUrl))
    return { api, subscriptionId, call: yield* subscriptionKey(databaseUrl, api, subscriptionId) }
  })

/** Counts of recorded calls, by outcome; with a `keyId`, of that key. */
export const written = (databaseUrl: Redacted.Redacted, subscriptionId: string, keyId?: string) =>
  Effect.map(
    execute(
      databaseUrl,
      `select outcome, sum(calls)::int as calls from api_usage
       where subscription_id = $1 and key_id = coalesce($2, key_id) group by outcome`,
      [subscriptionId, keyId ?? null]
    ),
    (rows): Readonly<Record<string, unknown>> =>
      Object.fromEntries(rows.map(({ calls, outcome }) => [String(outcome), calls]))
  )

/** What is recorded for the subscriber's current month; undefined if nothing is. */
export const writtenMonth = (databaseUrl: Redacted.Redacted, subscriptionId: string, upstream = "live") =>
  Effect.map(
    execute(
      databaseUrl,
      `select sum(used)::int as used from api_usage_counts join subscriptions s using (company_id, api_id)
       where s.id = $1 and upstream = $2`,
      [subscriptionId, upstream]
    ),
    ([row]) => row?.used ?? undefined
  )
