/** Housekeeping of webhooks: partitions, secrets under an earlier SECRET_KEY, and what nobody can see any more. */
import { expect, it } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { Webhook } from "standardwebhooks"
import { WebhookDeliveries } from "../../src/webhooks/deliveries-service.ts"
import { WebhookEndpoints } from "../../src/webhooks/service.ts"
import { field } from "../support/client.ts"
import { freshDatabase, servedUrl } from "../support/database.ts"
import { execute } from "../support/postgres.ts"
import { startServerOn } from "../support/server.ts"
import { suite } from "../support/suite.ts"
import { hooked, startReceiver, WebhookServer } from "../support/webhooks/receiver.ts"

suite(WebhookServer.layer)("Housekeeping", (it) => {
  it.effect("drops partitions after 30 days, and creates those of the next days", () =>
    Effect.gen(function* () {
      const { databaseUrl, services } = yield* WebhookServer
      const run = (text: string) => execute(databaseUrl, text)
      // The database is a copy, and belongs to another role than its tables.
      const [tables] = yield* run(
        "select quote_ident(tableowner) as owner from pg_tables where tablename = 'webhook_endpoints'"
      )
      yield* run(`grant create on schema public to ${tables?.owner}`)
      for (const [parent, days, length] of [
        ["webhook_deliveries", 42, 7],
        ["webhook_deliveries", 63, 7],
        ["webhook_attempts", 31, 1],
        ["webhook_attempts", 40, 1]
      ] as const) {
        const [bounds] = yield* run(`
          select to_char(day, 'YYYYMMDD') as name, day::text as start, (day + ${length})::text as ending
          from (select (date_trunc('${length === 7 ? "week" : "day"}', now() at time zone 'UTC') - interval '${days} days')::date as day) d`)
        yield* run(
          `create table if not exists ${parent}_${bounds?.name} partition of ${parent} for values from ('${bounds?.start} 00:00Z') to ('${bounds?.ending} 00:00Z')`
        )
        yield* run(`alter table ${parent}_${bounds?.name} owner to ${tables?.owner}`)
      }
      const [last] = yield* run(
        "select max(inhrelid::regclass::text) as name from pg_inherits where inhparent = 'webhook_attempts'::regclass"
      )
      yield* run(`drop table ${last?.name}`)
      yield* Context.get(services, WebhookDeliveries).rollPartitions
      const left = yield* run(`
        select inhparent::regclass::text as parent, count(*)::int as n,
          (min(to_date(right(inhrelid::regclass::text, 8), 'YYYYMMDD')) - (now() at time zone 'UTC')::date)::int as first,
          (max(to_date(right(inhrelid::regclass::text, 8), 'YYYYMMDD')) - (now() at time zone 'UTC')::date)::int as last
        from pg_inherits where inhparent in ('webhook_deliveries'::regclass, 'webhook_attempts'::regclass) group by 1 order by 1`)
      const [attempts, deliveries] = left
      // A day is dropped when it ended more than 30 days ago.
      expect(attempts).toMatchObject({ parent: "webhook_attempts", first: -31, last: 7 })
      expect(Number(deliveries?.first)).toBeGreaterThanOrEqual(-37)
      expect(Number(deliveries?.last)).toBeGreaterThanOrEqual(8)
    })
  )

  it.effect("deletes expired secrets, and endpoints that were removed long ago", () =>
    Effect.gen(function* () {
      const { add, ask, member, server } = yield* hooked
      const [kept, gone] = [yield* add("https://a.upstream.test/"), yield* add("https://b.upstream.test/")]
      yield* ask("POST", `${kept.path}/secret/rotate`, { overlapSeconds: 0 })
      yield* ask("POST", `${gone.path}/remove`)
      yield* execute(
        server.databaseUrl,
        "update webhook_endpoints set removed_at = removed_at - interval '41 days' where id = $1",
        [gone.id]
      )
      yield* Context.get(server.services, WebhookEndpoints).tidy
      expect(
        yield* execute(
          server.databaseUrl,
          "select p.id, count(s.id)::int as secrets from webhook_endpoints p left join webhook_secrets s on s.endpoint_id = p.id where p.company_id = $1 group by 1",
          [member.companyId]
        )
      ).toStrictEqual([{ id: kept.id, secrets: 1 }])
    })
  )

  it.scoped("seals the secrets of an earlier SECRET_KEY anew, and they still sign", () =>
    Effect.gen(function* () {
      const { add, ask, attemptDue, happen, server } = yield* hooked
      const receiver = yield* startReceiver
      const { body, id } = yield* add(receiver.url)
      const [before] = yield* execute(
        server.databaseUrl,
        "update webhook_secrets set sealed_by = 'an earlier key' where endpoint_id = $1 returning encode(sealed, 'hex') as sealed",
        [id]
      )
      yield* Context.get(server.services, WebhookEndpoints).tidy
      const [after] = yield* execute(
        server.databaseUrl,
        "select sealed_by, encode(sealed, 'hex') as sealed from webhook_secrets where endpoint_id = $1",
        [id]
      )
      expect(after?.sealed_by).not.toBe("an earlier key")
      expect(after?.sealed).not.toBe(before?.sealed)
      yield* happen
      yield* ask("GET", "/api/events")
      yield* attemptDue
      const [request] = receiver.received
      expect(
        new Webhook(String(field(body, "secret"))).verify(request?.body ?? "", { ...request?.headers })
      ).toMatchObject({ type: "api_key.created" })
    })
  )
})

it.scopedLive(
  "after weeks without the service, events of any age are delivered, and their attempts are logged",
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const sql = (text: string, values: ReadonlyArray<unknown> = []) =>
        Effect.orDie(execute(databaseUrl, text, values))
      const start = Effect.orDie(
        startServerOn(databaseUrl, {
          DATABASE_URL: Redacted.value(servedUrl(databaseUrl)),
          GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true"
        })
      )
      const receiver = yield* startReceiver
      const hookedOn = (server: WebhookServer["Type"]) => Effect.provideService(hooked, WebhookServer, server)
      const { companyId, id } = yield* Effect.scoped(
        Effect.gen(function* () {
          const { add, member } = yield* hookedOn(yield* start)
          const { id } = yield* add(receiver.url)
          return { companyId: member.companyId, id }
        })
      )
      // As if it had stopped long ago: no partition is of these weeks.
      const partitions = yield* sql(
        "select inhrelid::regclass::text as name from pg_inherits where inhparent in ('webhook_deliveries'::regclass, 'webhook_attempts'::regclass)"
      )
      for (const { name } of partitions) yield* sql(`drop table ${name}`)
      // As in an installation, the owner of the tables owns all of this.
      yield* sql(
        `do $$ declare owner text := (select tableowner from pg_tables where tablename = 'events');
       begin execute format('alter database %I owner to %I', current_database(), owner); end $$`
      )
      yield* sql(
        `insert into event_outbox (company_id, type, data, created_at)
       select $1, 'kyc.session.created', jsonb_build_object('id', age || ' days'), now() - age * interval '1 day'
       from unnest(array[31, 29, 15, 0]) age`,
        [companyId]
      )
      const server = yield* start
      yield* server.settled
      expect(
        yield* sql("select from webhook_deliveries where endpoint_id = $1 and status = 'succeeded'", [id])
      ).toHaveLength(3)
      expect(
        receiver.received.map(({ body }) => String(field(JSON.parse(body), "data", "id"))).sort()
      ).toStrictEqual(["0 days", "15 days", "29 days"])
      expect(yield* sql("select count(*)::int as n from webhook_attempts")).toStrictEqual([{ n: 3 }])
    })
)
