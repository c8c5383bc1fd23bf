/** Housekeeping of webhooks: partitions, secrets under an earlier SECRET_KEY, and what nobody can see any more. */
import { expect, it } from "@effect/vitest"
import { Context, Effect, type Redacted } from "effect"
import { connect } from "../../src/db/connection.ts"
import { Events } from "../../src/events/service.ts"
import { WebhookDeliveries } from "../../src/webhooks/deliveries-service.ts"
import { WebhookEndpoints } from "../../src/webhooks/service.ts"
import { freshDatabase } from "../support/database.ts"
import { execute } from "../support/postgres.ts"
import { startServerOn } from "../support/server.ts"
import { suite } from "../support/suite.ts"
import { hooked, WebhookServer } from "../support/webhooks/receiver.ts"

/** The owner of the tables may create others, as in an installation. */
const ownedByOwner = (databaseUrl: Redacted.Redacted<string>) =>
  execute(
    databaseUrl,
    `do $$ declare owner text := (select tableowner from pg_tables where tablename = 'webhook_endpoints');
     begin execute format('alter database %I owner to %I', current_database(), owner); end $$`
  )

it.scopedLive(
  "Old partitions are dropped once no backup reads them; a view of the operator's own keeps one, and the next are created",
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const { services } = yield* startServerOn(databaseUrl)
      const run = (text: string) => execute(databaseUrl, text)
      yield* ownedByOwner(databaseUrl)
      const backup = yield* connect(databaseUrl)
      const rolledDeliveries = Context.get(services, WebhookDeliveries).rollPartitions
      for (const [parent, rolled] of [
        ["events", Context.get(services, Events).rollPartitions],
        ["webhook_deliveries", rolledDeliveries],
        ["webhook_attempts", rolledDeliveries]
      ] as const) {
        const partitions = Effect.map(
          run(
            `select inhrelid::regclass::text as name from pg_inherits where inhparent = '${parent}'::regclass order by 1`
          ),
          (all) => all.map(({ name }) => String(name))
        )
        // The template may be of yesterday.
        yield* rolled
        const present = yield* partitions
        const old = ["20200106", "20200113", "20200120"].map((day) => `${parent}_${day}`)
        for (const [n, name] of old.entries()) {
          yield* run(
            `create table ${name} partition of ${parent} for values from ('2020-01-${6 + 7 * n}T00:00Z') to ('2020-01-${7 + 7 * n}T00:00Z')`
          )
          yield* run(`do $$ begin
          execute format('alter table ${name} owner to %I', (select tableowner from pg_tables where tablename = '${parent}'));
        end $$`)
        }
        yield* run(`create view our_${parent} as select * from ${old[1]}`)
        yield* run(`drop table ${present.at(-1)}`)
        yield* Effect.promise(() => backup.query(`begin; select from ${parent}`))
        yield* rolled
        expect((yield* partitions).slice(0, 3)).toStrictEqual(old)
        yield* Effect.promise(() => backup.query("commit"))
        yield* rolled
        expect(yield* partitions).toStrictEqual([old[1], ...present])
        yield* run(`drop view our_${parent}`)
        yield* rolled
        expect(yield* partitions).toStrictEqual(present)
      }
    })
)

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
      for (const days of [31, 32, 40]) {
        const [bounds] = yield* run(`
          select to_char(day, 'YYYYMMDD') as name, day::text as start, (day + 1)::text as ending
          from (select (now() at time zone 'UTC')::date - ${days} as day) d`)
        const part = `webhook_attempts_${bounds?.name}`
        yield* run(
          `create table if not exists ${part} partition of webhook_attempts for values from ('${bounds?.start} 00:00Z') to ('${bounds?.ending} 00:00Z')`
        )
        yield* run(`alter table ${part} owner to ${tables?.owner}`)
      }
      yield* Context.get(services, WebhookDeliveries).rollPartitions
      const [left] = yield* run(`
        select min(day) - (now() at time zone 'UTC')::date as first, max(day) - (now() at time zone 'UTC')::date as last
        from (select to_date(right(inhrelid::regclass::text, 8), 'YYYYMMDD') as day from pg_inherits
          where inhparent = 'webhook_attempts'::regclass) d`)
      // A day is dropped when it ended more than 30 days ago.
      expect(left).toEqual({ first: -31, last: 7 })
    })
  )

  for (const procedure of ["roll_webhook_partitions", "roll_event_partitions"]) {
    it.effect(`${procedure} reads no other table's name as a date, in whatever order Postgres filters`, () =>
      Effect.gen(function* () {
        const { databaseUrl } = yield* WebhookServer
        // Without nested loops, the names of all tables are filtered first.
        yield* execute(
          databaseUrl,
          `do $$ begin
             set local enable_nestloop = off; set local enable_mergejoin = off;
             call ${procedure}();
           end $$`
        )
      })
    )
  }

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

  it.effect("seals all secrets of an earlier SECRET_KEY anew, although some cannot be opened", () =>
    Effect.gen(function* () {
      const { add, server } = yield* hooked
      const { id } = yield* add("https://a.upstream.test/")
      yield* execute(
        server.databaseUrl,
        `with earlier as (update webhook_secrets set sealed_by = 'earlier' where endpoint_id = $1)
         insert into webhook_secrets (id, endpoint_id, sealed, sealed_by)
         select gen_random_uuid(), $1, '\\x00', lost from generate_series(1, 501), unnest(array['0 lost', 'z lost']) lost`,
        [id]
      )
      yield* Context.get(server.services, WebhookEndpoints).tidy
      expect(
        yield* execute(
          server.databaseUrl,
          "select sealed_by, count(*)::int as n from webhook_secrets where endpoint_id = $1 group by 1 order by 1",
          [id]
        )
      ).toStrictEqual([
        { sealed_by: "0 lost", n: 501 },
        { sealed_by: expect.not.stringContaining("earlier"), n: 1 },
        { sealed_by: "z lost", n: 501 }
      ])
    })
  )
})
