import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { notify } from "../db/changes.ts"
import { lag, nextReached, recordEvents, recordingEvents } from "../db/outbox.ts"
import { failsOn, onlyRow, orDie, row, rows } from "../db/sql.ts"
import type { Cursor } from "../shared/cursor.ts"
import { KeyCollision, TooManyApiKeys } from "./errors.ts"
import { ApiKey, ApiKeyStats } from "./model.ts"

/** Tells every process about a revoked key; the message is its id. */
export const revokedTopic = "api-key-revoked"

const ApiKeyRow = Schema.typeSchema(ApiKey)

const FoundKeyRow = Schema.Struct({
  id: Schema.String,
  company_id: Schema.String,
  name: Schema.String,
  scopes: Schema.Array(Schema.String),
  /** Milliseconds until the key expires, by the database's clock. */
  remaining_ms: Schema.NullOr(Schema.Number),
  /** Why it is not valid; null if it is. */
  reason: Schema.NullOr(Schema.Literal("key-revoked", "key-expired"))
})

/** The company has reached its quota. */
const NoKeyRow = Schema.Struct({ id: Schema.Null, active: Schema.Number })

interface NewKey {
  readonly id: string
  readonly companyId: string
  readonly name: string
  readonly scopes: ReadonlyArray<string>
  readonly tokenHash: Uint8Array
  readonly tokenPrefix: string
  readonly expiresAt: Date | null
  /** The user's id; null for the operator. */
  readonly createdBy: string | null
}

/** Platform keys in Postgres. */
export class ApiKeyRepo extends Effect.Service<ApiKeyRepo>()("ApiKeyRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeKeys = rows(ApiKeyRow)
    const decodeAdded = onlyRow(Schema.Union(ApiKeyRow, NoKeyRow))
    const decodeStats = onlyRow(ApiKeyStats)
    const decodeFound = row(FoundKeyRow)
    const decodeRevoked = row(Schema.Struct({ name: Schema.String, was_active: Schema.Boolean }))

    const columns = sql.literal(`
      id, name, scopes, expires_at as "expiresAt",
      revoked_at is null and (expires_at is null or expires_at > now()) as "activeNow",
      token_prefix, created_at, last_used_at, revoked_at`)

    /** @param from a CTE with the columns id and company_id */
    const keyEvents = (what: "created" | "expiring" | "revoked", from: Statement.Fragment) =>
      recordEvents(sql, `api_key.${what}`, {
        companyId: sql`company_id`,
        data: sql`jsonb_build_object('id', id, 'status', ${what === "revoked" ? "revoked" : "active"}::text,
          'url', '/api/api-keys')`,
        from
      })

    return {
      /** Newest first. */
      list: (companyId: string) =>
        decodeKeys(sql`
          select ${columns} from api_keys where company_id = ${companyId}
          order by created_at desc, id desc`),

      /** Newest first. */
      page: (companyId: string, limit: number, after: Cursor | undefined) =>
        decodeKeys(sql`
          select ${columns} from api_keys where company_id = ${companyId}
          ${after === undefined ? sql`` : sql`and (created_at, id) < (${after.createdAt}, ${after.id}::uuid)`}
          order by created_at desc, id desc limit ${limit}`),

      /**
       * Takes no lock, so concurrent requests may each find room for the last key. Keys that stopped working
       * over 90 days ago do not count, so that no company is locked out for ever. A key that was created
       * expired stopped at its creation.
       */
      insert: (
        key: NewKey,
        most: Record<TooManyApiKeys["counted"], number>
      ): Effect.Effect<ApiKey, KeyCollision | TooManyApiKeys> =>
        sql`
          with there as (
            select
              (count(*) filter (where least(revoked_at, expires_at) is null
                or greatest(created_at, least(revoked_at, expires_at)) > now() - interval '90 days'))::int as total,
              (count(*) filter (where revoked_at is null and (expires_at is null or expires_at > now())))::int as active
            from api_keys where company_id = ${key.companyId}
          ), added as (
            insert into api_keys (id, company_id, name, scopes, token_hash, token_prefix, expires_at, created_by)
            select ${key.id}, ${key.companyId}, ${key.name}, ${key.scopes}::text[], ${key.tokenHash},
              ${key.tokenPrefix}, ${key.expiresAt}, ${key.createdBy}
            from there where active < ${most.active} and total < ${most.all}
            returning company_id, ${columns}
          ), recorded as (${keyEvents("created", sql`added`)})
          select added.*, there.active from there left join added on true`.pipe(
          failsOn("api_keys_token_hash_key", () => new KeyCollision()),
          decodeAdded,
          recordingEvents,
          Effect.flatMap((added) =>
            added.id === null
              ? Effect.fail(
                  added.active < most.active
                    ? new TooManyApiKeys({ most: most.all, counted: "all" })
                    : new TooManyApiKeys({ most: most.active, counted: "active" })
                )
              : Effect.succeed(added)
          )
        ),

      stats: (companyId: string) =>
        decodeStats(sql`
          select count(*)::int as total,
            (count(*) filter (where revoked_at is null and (expires_at is null or expires_at > now())))::int as active,
            (count(*) filter (where revoked_at is not null))::int as revoked_or_disabled,
            (count(*) filter (where last_used_at > now() - interval '24 hours'))::int as used_last_24h
          from api_keys where company_id = ${companyId}`),

      /** Notifies every process in the same statement. `was_active`: the key was not revoked before. */
      revoke: (companyId: string, id: string) =>
        decodeRevoked(sql`
          with key as (
            select id, name, revoked_at is null as was_active from api_keys
            where company_id = ${companyId} and id = ${id} for no key update
          ), revoked as (
            update api_keys set revoked_at = now() from key where api_keys.id = key.id and key.was_active
            returning api_keys.id, api_keys.company_id
          ), recorded as (${keyEvents("revoked", sql`revoked`)})
          select name, was_active, ${notify(revokedTopic, id)} from key`).pipe(recordingEvents),

      /**
       * Records the event of every key that came within seven days of its expiry since the last call of any process. Each key gets
       * it once: a call that finds another one at work does nothing. A key that was created with less time left gets none.
       */
      recordExpiring: orDie(sql`
        with mark as materialized (
          select reached from event_watermarks where name = 'api_key.expiring' for update skip locked
        ), expiring as (
          select k.id, k.company_id from api_keys k, mark
          where k.revoked_at is null and k.expires_at > greatest(mark.reached + interval '7 days', now())
            and k.expires_at <= now() - ${sql.literal(lag)} + interval '7 days' and k.created_at < k.expires_at - interval '7 days'
          -- The lock waits for a request that revokes the key at the same time.
          for no key update of k
        ), recorded as (${keyEvents("expiring", sql`expiring`)})
        update event_watermarks w set reached = ${sql.literal(nextReached)} from mark where w.name = 'api_key.expiring'`).pipe(
        recordingEvents
      ),

      findByHash: (tokenHash: Uint8Array) =>
        decodeFound(sql`
          select id, company_id, name, scopes,
            (extract(epoch from expires_at - now()) * 1000)::float8 as remaining_ms,
            case when revoked_at is not null then 'key-revoked' when expires_at <= now() then 'key-expired' end as reason
          from api_keys where token_hash = ${tokenHash}`),

      /** Never moves `last_used_at` back, and moves it at most once a minute across all processes. */
      markUsed: (ids: ReadonlyArray<string>, agesMillis: ReadonlyArray<number>) =>
        orDie(sql`
          update api_keys set last_used_at = used.at
          from (
            select id, now() - age * interval '1 millisecond' as at
            from unnest(${ids}::uuid[], ${agesMillis}::float8[]) as given (id, age)
          ) as used
          where api_keys.id = used.id
            and (last_used_at is null or last_used_at < used.at - interval '59 seconds')`)
    }
  })
}) {}
