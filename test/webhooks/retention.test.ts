/** Housekeeping of webhooks: partitions, secrets under an earlier SECRET_KEY, and what nobody can see any more. */
import { expect, it } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { Webhook } from "standardwebhooks"
import { connect } from "../../src/db/connection.ts"
import { Events } from "../../src/events/service.ts"
import { WebhookDeliveries } from "../../src/webhooks/deliveries-service.ts"
import { WebhookEndpoints } from "../../src/webhooks/service.ts"
import { WorkSignal } from "../../src/work/signal-service.ts"
import { field } from "../support/client.ts"
import { freshDatabase, servedUrl } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"
import { startServer, startServerOn } from "../support/server.ts"
import { suite } from "../support/suite.ts"
import { hooked, startReceiver, WebhookServer } from "../support/webhooks/receiver.ts"

/** Removes these partitions. The owner of the tables may create others, as in an installation. */
const dropPartitions = (databaseUrl: Redacted.Redacted<string>, ...parents: ReadonlyArray<string>) =>
  execute(
    databaseUrl,
    `do $$ declare part regclass; owner text := (select tableowner from pg_tables where tablename = 'webhook_endpoints');
     begin
       execute format('alter database %I owner to %I', current_database(), owner);
       for part in
         select inhrelid::regclass from pg_inherits where inhparent::regclass::text = any ('{${parents.join(",")}}')
       loop execute format('drop table %s', part); end loop;
     end $$`
  )

it.scopedLive("An attempt for which there is no partition is stored once there is, and sent once", () =>
  Effect.gen(function* () {
    const databaseUrl = yield* freshDatabase
    const server = yield* startServerOn(databaseUrl, { GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" })
    const { add, ask, attemptDue, happen } = yield* Effect.provideService(hooked, WebhookServer, server)
    const receiver = yield* startReceiver
    const { path } = yield* add(receiver.url)
    yield* dropPartitions(databaseUrl, "webhook_attempts")
    yield* happen
    yield* ask("GET", "/api/events")
    Context.get(server.services, WorkSignal).wake()
    yield* eventually("the endpoint has the event", () => receiver.received.length > 0)
    yield* Context.get(server.services, WebhookDeliveries).rollPartitions
    yield* attemptDue
    const { body } = yield* ask("GET", `${path}/deliveries`)
    expect(field(body, "deliveries")).toMatchObject([{ status: "succeeded", attempts: 1 }])
    expect(yield* execute(databaseUrl, "select from work_poison")).toHaveLength(0)
    expect(receiver.received).toHaveLength(1)
  })
)

it.scopedLive("A backup that reads old partitions delays no delivery; they are dropped later", () =>
  Effect.gen(function* () {
    const databaseUrl = yield* freshDatabase
    const { services } = yield* startServerOn(databaseUrl)
    const backup = yield* connect(databaseUrl)
    const run = (text: string) => execute(databaseUrl, text)
    yield* dropPartitions(databaseUrl)
    for (const [parent, rolled] of [
      ["webhook_attempts", Context.get(services, WebhookDeliveries).rollPartitions],
      ["events", Context.get(services, Events).rollPartitions]
    ] as const) {
      const old = `${parent}_20200106`
      // The template may be of yesterday.
      yield* rolled
      yield* run(
        `create table ${old} partition of ${parent} for values from ('2020-01-06T00:00Z') to ('2020-01-07T00:00Z')`
      )
      yield* run(`do $$ begin
        execute format('alter table ${old} owner to %I', (select tableowner from pg_tables where tablename = '${parent}'));
      end $$`)
      const count = Effect.map(
        run(`select from pg_inherits where inhparent = '${parent}'::regclass`),
        (all) => all.length
      )
      const before = yield* count
      const [newest] = yield* run(
        `select max(inhrelid::regclass::text) as name from pg_inherits where inhparent = '${parent}'::regclass`
      )
      yield* run(`drop table ${newest?.name}`)
      yield* Effect.promise(() => backup.query(`begin; select from ${parent}`))
      yield* rolled
      expect(yield* count).toBe(before)
      yield* Effect.promise(() => backup.query("commit"))
      yield* rolled
      expect(yield* count).toBe(before - 1)
    }
  })
)

it.scopedLive(
  "A view of the operator's own on an old partition keeps it, and no other; the next ones are created",
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const { services } = yield* startServerOn(databaseUrl)
      const run = (text: string) => execute(databaseUrl, text)
      yield* dropPartitions(databaseUrl)
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

  it.effect("seals all secrets of an earlier SECRET_KEY anew, however many cannot be opened", () =>
    Effect.gen(function* () {
      const { add, server } = yield* hooked
      const ids = [yield* add("https://a.upstream.test/"), yield* add("https://b.upstream.test/")].map(
        ({ id }) => id
      )
      yield* execute(
        server.databaseUrl,
        `with earlier as (
           update webhook_secrets set sealed_by = case endpoint_id when $1 then '0 second' else 'z second' end
           where endpoint_id in ($1, $2)
         )
         insert into webhook_secrets (id, endpoint_id, sealed, sealed_by)
         select gen_random_uuid(), $1, '\\x00', lost from generate_series(1, 501), unnest(array['0 first', 'z first']) lost`,
        ids
      )
      yield* Context.get(server.services, WebhookEndpoints).tidy
      expect(
        yield* execute(
          server.databaseUrl,
          "select sealed_by, count(*)::int as n from webhook_secrets where endpoint_id in ($1, $2) group by 1 order by 1",
          ids
        )
      ).toStrictEqual([
        { sealed_by: "0 first", n: 501 },
        { sealed_by: expect.not.stringContaining("second"), n: 2 },
        { sealed_by: "z first", n: 501 }
      ])
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

it.scopedLive("a delivery whose partition was dropped is neither sent nor shown, and leaves no work", () =>
  Effect.gen(function* () {
    const server = yield* startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" })
    const sql = (text: string) => Effect.orDie(execute(server.databaseUrl, text))
    const { add, ask, attemptDue, happen, makeDue } = yield* Effect.provideService(
      hooked,
      WebhookServer,
      server
    )
    const receiver = yield* startReceiver
    receiver.answer = () => new Response(null, { status: 500 })
    const { path } = yield* add(receiver.url)
    yield* happen
    yield* ask("GET", "/api/events")
    yield* attemptDue
    const listed = yield* ask("GET", `${path}/deliveries`)
    const delivery = `/api/webhook-deliveries/${field(listed.body, "deliveries", 0, "id")}`
    expect((yield* ask("GET", delivery)).status).toBe(200)
    const partitions = yield* sql(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent in ('webhook_deliveries'::regclass, 'webhook_attempts'::regclass)"
    )
    for (const { name } of partitions) yield* sql(`drop table ${name}`)
    expect(yield* makeDue).toHaveLength(1)
    yield* attemptDue
    expect(receiver.received).toHaveLength(1)
    expect(yield* sql("select number from work_jobs union all select number from work_poison")).toHaveLength(
      0
    )
    expect(field((yield* ask("GET", `${path}/deliveries`)).body, "deliveries")).toStrictEqual([])
    for (const asked of [ask("GET", delivery), ask("POST", `${delivery}/retry`)]) {
      expect((yield* asked).status).toBe(404)
    }
    const since = new Date(Date.now() - 3_600_000).toISOString()
    expect((yield* ask("POST", `${path}/recover`, { since })).body).toStrictEqual({ deliveries: 0 })
  })
)
