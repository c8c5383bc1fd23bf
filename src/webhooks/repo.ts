import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { recordEvents, recordingEvents } from "../db/outbox.ts"
import { onlyRow, orDie, row, rows } from "../db/sql.ts"
import type { EventType } from "../events/types-model.ts"
import { allStatuses, ListedEndpoint, mostCounted, mostEndpoints, WebhookEndpoint } from "./model.ts"

const EndpointRow = Schema.typeSchema(WebhookEndpoint)

const ListedRow = Schema.typeSchema(ListedEndpoint)

const ChangedRow = Schema.typeSchema(
  Schema.Struct({
    ...WebhookEndpoint.fields,
    /** Whether anything but the status changed. */
    changed: Schema.Boolean,
    was_enabled: Schema.Boolean
  })
)

/** A secret as it is stored. */
export interface SealedSecret {
  readonly id: string
  readonly sealed: Uint8Array
  readonly sealedBy: string
}

interface NewEndpoint {
  readonly id: string
  readonly companyId: string
  readonly url: string
  readonly description: string | null
  readonly eventTypes: ReadonlyArray<EventType> | null
  readonly signing: "v1" | "v1a"
  readonly publicKey: string | null
  readonly secret: SealedSecret
}

/** An absent field stays as it is. */
export interface EndpointChange {
  readonly url?: string | undefined
  readonly description?: string | null | undefined
  readonly eventTypes?: ReadonlyArray<EventType> | null | undefined
  readonly status?: "enabled" | "disabled" | undefined
}

/** How many secrets of an endpoint are good at once. */
export const mostSecrets = 5

/** The secrets `s` with which deliveries to an endpoint are signed now, if they are the newest {@link mostSecrets}. */
export const fromGoodSecrets = (sql: SqlClient.SqlClient, endpointId: Fragment): Fragment => sql`
  from webhook_secrets s where s.endpoint_id = ${endpointId} and (s.expires_at is null or s.expires_at > now())`

/** How many secrets are sealed again at once. */
export const resealedAtOnce = 500

/** A place among the secrets, by the key that sealed them. */
interface SealOrder {
  readonly sealedBy: string
  readonly id: string
}

export const firstSealed: SealOrder = { sealedBy: "", id: "00000000-0000-0000-0000-000000000000" }

/** Webhook endpoints and their secrets in Postgres. */
export class WebhookEndpointRepo extends Effect.Service<WebhookEndpointRepo>()("WebhookEndpointRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeAll = rows(ListedRow)
    const decodeOne = row(EndpointRow)
    const decodeChanged = row(ChangedRow)
    const decodeId = onlyRow(Schema.Struct({ id: Schema.String }))
    const decodeRemoved = row(Schema.Struct({ url: Schema.String }))
    const decodeSecrets = rows(
      Schema.Struct({
        id: Schema.String,
        endpoint_id: Schema.String,
        sealed: Schema.Uint8ArrayFromSelf,
        sealed_by: Schema.String
      })
    )
    const decodeSealed = rows(Schema.Struct({ sealed: Schema.String, now: Schema.Number }))

    const columns = sql.literal(`
      p.id, p.url, p.description, p.event_types, p.signing, p.public_key,
      case when p.disabled_at is null then 'enabled' else 'disabled' end as status, p.disabled_reason, p.created_at`)
    const owned = (companyId: string, id: string) =>
      sql`p.company_id = ${companyId} and p.id = ${id} and p.removed_at is null`
    const secretColumns = sql.literal("id, endpoint_id, sealed, sealed_by")

    return {
      /** Oldest first. */
      list: (companyId: string) =>
        decodeAll(sql`
          select ${columns}, counted.last_day, p.failing_since
          from webhook_endpoints p join webhook_sequences q on q.endpoint_id = p.id cross join lateral (
            select json_object_agg(wanted.status, (
              select count(*) from webhook_deliveries d
              where d.endpoint_id = p.id and d.status = wanted.status and d.sequence > q.last - ${mostCounted}::bigint
                and d.created_at > now() - interval '24 hours'
            )) as last_day
            from unnest(${allStatuses}::text[]) as wanted (status)
          ) as counted
          where p.company_id = ${companyId} and p.removed_at is null
          order by p.created_at, p.id limit ${mostEndpoints}`),

      find: (companyId: string, id: string) =>
        decodeOne(sql`select ${columns} from webhook_endpoints p where ${owned(companyId, id)}`),

      /** Like `find`, and locks the endpoint until the transaction ends. */
      lock: (companyId: string, id: string) =>
        decodeOne(sql`
          select ${columns} from webhook_endpoints p where ${owned(companyId, id)} for no key update`),

      /** Until the transaction ends, no other adds an endpoint to the company. */
      lockRoom: (companyId: string) =>
        orDie(sql`select from companies where id = ${companyId} for no key update`),

      /** Call it after `lockRoom`. None if the company has enough endpoints. */
      insert: ({ companyId, description, eventTypes, id, publicKey, secret, signing, url }: NewEndpoint) =>
        decodeOne(sql`
          with room as (
            select from webhook_endpoints where company_id = ${companyId} and removed_at is null
            having count(*) < ${mostEndpoints}
          ), p as (
            insert into webhook_endpoints (id, company_id, url, description, event_types, signing, public_key)
            select ${id}, ${companyId}, ${url}, ${description}, ${eventTypes}::text[], ${signing}, ${publicKey} from room
            returning *
          ), numbered as (
            insert into webhook_sequences (endpoint_id) select id from p
          ), secret as (
            insert into webhook_secrets (${secretColumns})
            select ${secret.id}, id, ${secret.sealed}, ${secret.sealedBy} from p
          )
          select ${columns} from p`),

      /** Enabling forgets earlier failures. */
      change: (companyId: string, id: string, { description, eventTypes, status, url }: EndpointChange) =>
        decodeChanged(sql`
          with before as (
            select p.*, p.disabled_at is null as was_enabled from webhook_endpoints p
            where ${owned(companyId, id)} for no key update
          ), wanted as (
            select id, was_enabled, coalesce(${url ?? null}, url) as url,
              case when ${description === undefined} then description else ${description ?? null} end as description,
              case when ${eventTypes === undefined} then event_types else ${eventTypes ?? null}::text[] end as event_types,
              coalesce(${status ?? null} = 'enabled', was_enabled) as enabled
            from before
          ), changed as (
            update webhook_endpoints p set url = w.url, description = w.description, event_types = w.event_types,
              disabled_at = case when w.enabled then null else coalesce(p.disabled_at, now()) end,
              disabled_reason = case when w.enabled then null else coalesce(p.disabled_reason, 'by_user') end,
              failures = case when w.enabled and not w.was_enabled then 0 else p.failures end,
              failing_since = case when w.enabled and not w.was_enabled then null else p.failing_since end
            from wanted w where p.id = w.id
            returning p.*
          )
          select ${columns}, b.was_enabled, (p.url, p.description, p.event_types)
            is distinct from (b.url, b.description, b.event_types) as changed
          from changed p join before b on b.id = p.id`),

      /** Its secrets are deleted, and jobs that wait for it find that they have ended. */
      remove: (companyId: string, id: string) =>
        decodeRemoved(sql`
          with removed as (
            update webhook_endpoints p set removed_at = now() where ${owned(companyId, id)} returning p.id, p.url
          ), forgotten as (
            delete from webhook_secrets s using removed where s.endpoint_id = removed.id
          )
          select url from removed`),

      /** Call it after `lock`. The other secrets expire after the overlap, the oldest of more than five at once. */
      addSecret: (id: string, secret: SealedSecret, publicKey: string | null, overlapSeconds: number) =>
        orDie(sql`
          with good as (
            select s.id, row_number() over (order by s.created_at desc, s.id desc) as place ${fromGoodSecrets(sql, sql`${id}`)}
          ), ended as (
            update webhook_secrets s set expires_at = case when good.place >= ${mostSecrets} then now()
              else coalesce(s.expires_at, now() + ${overlapSeconds}::int * interval '1 second') end
            from good where good.id = s.id
          ), published as (
            update webhook_endpoints p set public_key = ${publicKey} where p.id = ${id}
          )
          insert into webhook_secrets (${secretColumns})
          values (${secret.id}, ${id}, ${secret.sealed}, ${secret.sealedBy})`),

      /** The good secrets in base64, newest first, and the database's time in milliseconds since 1970. */
      goodSecrets: (id: string) =>
        decodeSealed(sql`
          select encode(s.sealed, 'base64') as sealed, (extract(epoch from now()) * 1000)::float8 as now ${fromGoodSecrets(sql, sql`${id}`)}
          order by s.created_at desc, s.id desc limit ${mostSecrets}`),

      /** Secrets that another key sealed, a batch of those that follow `after`. */
      sealedOtherwise: (sealedBy: string, after: SealOrder) => {
        const page = (side: "<" | ">") => sql`
          (select ${secretColumns} from webhook_secrets
            where sealed_by ${sql.literal(side)} ${sealedBy} and (sealed_by, id) > (${after.sealedBy}, ${after.id}::uuid)
            order by sealed_by, id limit ${resealedAtOnce})`
        return decodeSecrets(
          sql`${page("<")} union all ${page(">")} order by sealed_by, id limit ${resealedAtOnce}`
        )
      },

      reseal: ({ id, sealed, sealedBy }: SealedSecret) =>
        orDie(sql`update webhook_secrets set sealed = ${sealed}, sealed_by = ${sealedBy} where id = ${id}`),

      /** Records a `webhook.test` event for the endpoint; returns its id. */
      recordTest: (companyId: string, endpointId: string) =>
        decodeId(
          sql`${recordEvents(sql, "webhook.test", {
            companyId: sql`${companyId}::uuid`,
            data: sql`jsonb_build_object('id', ${endpointId}::text, 'url', '/api/webhook-endpoints')`,
            from: sql`(select) as one`
          })} returning id`
        ).pipe(recordingEvents),

      /** Deletes what nobody can see any more. */
      tidy: orDie(sql`
        with forgotten as (
          delete from webhook_secrets where expires_at < now()
        )
        delete from webhook_endpoints where removed_at < now() - interval '40 days'`)
    }
  })
}) {}
