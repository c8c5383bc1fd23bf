import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { notify } from "../../db/changes.ts"
import { recordEvents, recordingEvents } from "../../db/outbox.ts"
import { onlyRow, row, rows } from "../../db/sql.ts"
import { FoundKey, KeyMode, type KeyToMake, listedEnded, MarketplaceKey } from "./model.ts"

/** The topic for revoked and rotated keys; the message is the key's id. */
export const keyChangedTopic = "marketplace-key-changed"

const KeyRow = Schema.typeSchema(MarketplaceKey)

const RevokedRow = Schema.Struct({
  name: Schema.String,
  mode: KeyMode,
  subscription_id: Schema.String,
  was_active: Schema.Boolean
})

interface FreshKey extends KeyToMake {
  readonly subscriptionId: string
  readonly name: string
  readonly mode: KeyMode
}

/** Marketplace keys in Postgres. */
export class MarketplaceKeyRepo extends Effect.Service<MarketplaceKeyRepo>()("MarketplaceKeyRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeKeys = rows(KeyRow)
    const decodeKey = row(KeyRow)
    const decodeNew = onlyRow(KeyRow)
    const decodeCount = onlyRow(Schema.Struct({ active: Schema.Number }))
    const decodeKnown = row(Schema.Struct({ mode: KeyMode, subscription_active: Schema.Boolean }))
    const decodeFound = row(FoundKey)
    const decodeRevoked = row(RevokedRow)

    const isUsable = sql.literal("revoked_at is null and (expires_at is null or expires_at > now())")
    const columns = sql.literal(`
      id, subscription_id, name, mode, expires_at as "expiresAt",
      revoked_at is null and (expires_at is null or expires_at > now())
        and (select s.status = 'active' from subscriptions s where s.id = subscription_id) as "activeNow",
      token_prefix, created_at, last_used_at, revoked_at, rotated_to`)

    const keyEvents = (
      what: "created" | "rotated" | "revoked",
      status: "active" | "replaced" | "revoked",
      from: Statement.Fragment
    ) =>
      recordEvents(sql, `marketplace.key.${what}`, {
        companyId: sql`s.company_id`,
        data: sql`jsonb_build_object('id', k.id, 'subscription_id', s.id, 'mode', k.mode, 'status', ${status}::text,
          'url', '/api/api-marketplace/subscriptions/' || s.id || '/keys')`,
        from: sql`${from} k join subscriptions s on s.id = k.subscription_id`
      })

    return {
      /** Newest first: all keys that are neither expired nor revoked, and the newest of the others. */
      list: (subscriptionId: string) =>
        decodeKeys(sql`
          select ${columns} from marketplace_keys where id in (
            select id from marketplace_keys
            where subscription_id = ${subscriptionId} and revoked_at is null and expires_at is null
            union all
            select id from marketplace_keys
            where subscription_id = ${subscriptionId} and revoked_at is null and expires_at > now()
            union all (
              select id from marketplace_keys where subscription_id = ${subscriptionId} and not (${isUsable})
              order by created_at desc, id desc limit ${listedEnded}
            )
          ) order by created_at desc, id desc`),

      /** Keys that work and were not rotated. Lock the subscription before you act on their number. */
      countActive: (subscriptionId: string) =>
        Effect.map(
          decodeCount(sql`
            select count(*)::int as active from marketplace_keys
            where subscription_id = ${subscriptionId} and rotated_to is null and ${isUsable}`),
          ({ active }) => active
        ),

      insert: ({ id, mode, name, subscriptionId, tokenHash, tokenPrefix }: FreshKey) =>
        decodeNew(sql`
          with added as (
            insert into marketplace_keys (id, subscription_id, name, mode, token_hash, token_prefix)
            values (${id}, ${subscriptionId}, ${name}, ${mode}, ${tokenHash}, ${tokenPrefix})
            returning ${columns}
          ), recorded as (${keyEvents("created", "active", sql`added`)})
          select * from added`).pipe(recordingEvents),

      /** A key of the company, in any state. */
      find: (companyId: string, id: string) =>
        decodeKnown(sql`
          select k.mode, s.status = 'active' as subscription_active
          from marketplace_keys k join subscriptions s on s.id = k.subscription_id
          where s.company_id = ${companyId} and k.id = ${id}`),

      /**
       * The old key stays valid for `graceSeconds`, never longer than before; `next` gets its name, mode and
       * original expiry. Notifies every process in the same statement. None if it cannot be rotated.
       */
      rotate: (companyId: string, id: string, next: KeyToMake, graceSeconds: number) =>
        decodeKey(sql`
          with old as (
            select k.id, k.subscription_id, k.name, k.mode, k.expires_at
            from marketplace_keys k join subscriptions s on s.id = k.subscription_id
            where s.company_id = ${companyId} and k.id = ${id} and s.status = 'active'
              and k.rotated_to is null and ${isUsable}
            for no key update of k for share of s
          ), replaced as (
            update marketplace_keys k
            -- Rounded down, as the column would round up: without grace it ends now.
            set rotated_to = ${next.id}, expires_at = least(old.expires_at,
              date_trunc('milliseconds', now() + make_interval(secs => ${graceSeconds})))
            from old where k.id = old.id
            returning k.id, k.subscription_id, k.mode
          ), recorded as (${keyEvents("rotated", "replaced", sql`replaced`)})
          insert into marketplace_keys (id, subscription_id, name, mode, token_hash, token_prefix, expires_at)
          select ${next.id}, subscription_id, name, mode, ${next.tokenHash}, ${next.tokenPrefix}, expires_at from old
          returning ${columns}, ${notify(keyChangedTopic, id)}`).pipe(recordingEvents),

      /** Notifies every process in the same statement. None if the company has no such key. */
      revoke: (companyId: string, id: string) =>
        decodeRevoked(sql`
          with key as (
            select k.id, k.name, k.mode, k.subscription_id, k.revoked_at is null as was_active
            from marketplace_keys k join subscriptions s on s.id = k.subscription_id
            where s.company_id = ${companyId} and k.id = ${id} for no key update of k
          ), revoked as (
            update marketplace_keys k set revoked_at = now() from key where k.id = key.id and key.was_active
            returning k.id, k.subscription_id, k.mode
          ), recorded as (${keyEvents("revoked", "revoked", sql`revoked`)})
          select name, mode, subscription_id, was_active, ${notify(keyChangedTopic, id)} from key`).pipe(
          recordingEvents
        ),

      /** The key for a token's hash, in any state, with its subscription and plan. */
      findByHash: (tokenHash: Uint8Array) =>
        decodeFound(sql`
          select k.id as "keyId", k.subscription_id as "subscriptionId", s.company_id as "companyId", s.api_id as "apiId",
            k.mode, s.status = 'active' as "subscriptionActive", p.requests_per_minute as "requestsPerMinute",
            p.requests_per_month::float8 as "requestsPerMonth",
            (extract(epoch from k.expires_at - now()) * 1000)::float8 as "remainingMillis",
            case when k.revoked_at is not null then 'key-revoked' when k.expires_at <= now() then 'key-expired' end as reason
          from marketplace_keys k
            join subscriptions s on s.id = k.subscription_id
            join api_plans p on p.id = s.plan_id
          where k.token_hash = ${tokenHash}`)
    }
  })
}) {}
