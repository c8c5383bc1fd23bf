/** Events are stored and delivered for 30 days, also if the service did not run for longer (contract.md#event-feed). */
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createKey, field } from "../support/client.ts"
import { freshDatabase, servedUrl } from "../support/database.ts"
import { feedReader } from "../support/feed.ts"
import { execute } from "../support/postgres.ts"
import { startServerOn } from "../support/server.ts"
import { hooked, startReceiver, WebhookServer } from "../support/webhooks/receiver.ts"

const partitions = `
  select c.relname from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = 'events'::regclass order by 1`

it.scopedLive(
  "after weeks without the service, old events are deleted, and the others logged and delivered",
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const sql = (text: string, values: ReadonlyArray<unknown> = []) =>
        Effect.orDie(execute(databaseUrl, text, values))
      const start = startServerOn(databaseUrl, {
        DATABASE_URL: Redacted.value(servedUrl(databaseUrl)),
        GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true"
      })
      const receiver = yield* startReceiver
      const { companyId, token } = yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* start
          const { add, member } = yield* Effect.provideService(hooked, WebhookServer, server)
          yield* add(receiver.url)
          return { companyId: member.companyId, token: (yield* createKey(server, member)).token }
        })
      )
      const current = (yield* sql(partitions)).map(({ relname }) => relname)
      // As if it had stopped long ago: there is one old partition, and the outbox has events of any age.
      const ofDeliveries = yield* sql(
        "select inhrelid::regclass::text as name from pg_inherits where inhparent in ('webhook_deliveries'::regclass, 'webhook_attempts'::regclass)"
      )
      for (const name of [...current, ...ofDeliveries.map(({ name }) => name)]) {
        yield* sql(`drop table ${name}`)
      }
      yield* sql("delete from event_outbox")
      yield* sql(
        "create table events_20200106 partition of events for values from ('2020-01-06T00:00Z') to ('2020-01-13T00:00Z')"
      )
      // As in an installation, the owner of the tables owns all of this.
      yield* sql(
        `do $$ declare owner text := (select tableowner from pg_tables where tablename = 'events');
       begin
         execute format('alter table events_20200106 owner to %I', owner);
         execute format('alter database %I owner to %I', current_database(), owner);
       end $$`
      )
      yield* sql(
        `insert into events (position, id, company_id, type, data, created_at)
       values (0, gen_random_uuid(), $1, 'kyc.session.created', '{"id":"of 2020"}', '2020-01-07T00:00Z')`,
        [companyId]
      )
      yield* sql(
        `insert into event_outbox (company_id, type, data, created_at)
       select $1, 'kyc.session.created', jsonb_build_object('id', age || ' days'), now() - age * interval '1 day'
       from unnest(array[40, 31, 29, 15, 0]) age`,
        [companyId]
      )
      const server = yield* start
      const reader = feedReader(token)
      yield* reader.read(server)
      expect(reader.seen().map(({ data }) => data.id)).toEqual(["29 days", "15 days", "0 days"])
      expect(yield* sql(partitions)).toEqual(current.map((relname) => ({ relname })))
      expect(yield* sql("select count(*)::int as n from event_outbox")).toEqual([{ n: 0 }])
      // Those of the last 30 days are delivered, whatever their age, and their attempts are logged.
      yield* server.settled
      expect(
        receiver.received.map(({ body }) => String(field(JSON.parse(body), "data", "id"))).sort()
      ).toEqual(["0 days", "15 days", "29 days"])
      expect(yield* sql("select count(*)::int as n from webhook_attempts")).toEqual([{ n: 3 }])
    })
)
