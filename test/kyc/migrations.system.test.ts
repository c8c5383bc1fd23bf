/** What migrations make of the sessions, reviews, resubmissions and keys of earlier versions. */
import { copyFileSync, readdirSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { connect } from "../../src/db/connection.ts"
import { migrate } from "../../src/db/migrations.ts"
import { emptyDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"

const migrations = `${import.meta.dirname}/../../migrations`
const names = readdirSync(migrations).sort()

/** An empty database, and what applies the migrations before the one with this name. */
const older = Effect.gen(function* () {
  const url = yield* emptyDatabase
  const folder = yield* temporaryFolder
  const migrateTo = (next: string) => {
    const before = names.findIndex((name) => name.endsWith(next))
    for (const name of names.slice(0, before)) copyFileSync(`${migrations}/${name}`, `${folder}/${name}`)
    return migrate({ url, folder })
  }
  return { url, migrateTo }
})

const id = (digit: number | string) => `00000000-0000-0000-0000-00000000000${digit}`

it.scopedLive("the migrations of reviews lock no session, and complete reviews of an earlier version", () =>
  Effect.gen(function* () {
    const { migrateTo, url } = yield* older
    yield* migrateTo("_plain_values.sql")
    // Without the rows that they refer to.
    yield* execute(
      url,
      `set session_replication_role = replica;
       insert into kyc_sessions (id, instance_id, company_id, version_id, mode, status, token_hash, created_at, completed_at, expires_at)
       select id, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'prod', 'completed', sha256(id::text::bytea),
         '2026-01-01Z', '2026-01-02Z', '2026-01-03Z'
       from (values ('00000000-0000-0000-0000-000000000001'::uuid), ('00000000-0000-0000-0000-000000000002')) as s (id);
       insert into kyc_reviews (session_id, company_id, instance_id, status, proposal, proposed_by, proposed_at)
       select id, company_id, instance_id, 'proposed', 'approved',
         case when id = '00000000-0000-0000-0000-000000000001' then '00000000-0000-0000-0000-00000000000a' else 'api' end, now()
       from kyc_sessions`
    )
    const reviewer = yield* connect(url)
    yield* Effect.promise(() => reviewer.query("begin; select from kyc_reviews for update"))
    const migrating = yield* Effect.fork(migrate({ url }))
    let locked: unknown
    yield* eventually(
      "a migration waits for reviews",
      Effect.map(
        execute(
          url,
          `with locks as materialized (
             select * from pg_locks where database = (select oid from pg_database where datname = current_database()))
           select (
             select count(*)::int from locks held
             where held.pid = waiting.pid and held.granted and held.relation = 'kyc_sessions'::regclass and held.mode = 'AccessExclusiveLock'
           ) as sessions
           from locks waiting where waiting.relation = 'kyc_reviews'::regclass and not waiting.granted`
        ),
        ([found]) => {
          locked = found
          return found !== undefined
        }
      )
    )
    expect(locked).toEqual({ sessions: 0 })
    yield* Effect.promise(() => reviewer.query("commit"))
    yield* Fiber.join(migrating)
    const columns = { session_created_at: new Date("2026-01-01Z"), standing: "proposed" }
    expect(
      yield* execute(
        url,
        "select proposed_person, session_created_at, standing from kyc_reviews order by session_id"
      )
    ).toEqual([
      { proposed_person: "00000000-0000-0000-0000-00000000000a", ...columns },
      { proposed_person: null, ...columns }
    ])
  })
)

it.scopedLive(
  "what replicas of earlier versions write is mended when they are replaced, and once more later",
  () =>
    Effect.gen(function* () {
      const { migrateTo, url } = yield* older
      yield* migrateTo("_first_workflows.sql")
      /** Workflows that are restricted from another one, each with a session. Without the rows that they refer to. */
      const restrict = (...all: ReadonlyArray<readonly [id: number, from: number, steps: string]>) =>
        execute(
          url,
          `set session_replication_role = replica;
         insert into kyc_instance_versions (id, instance_id, company_id, config, workflow, restricted_from, steps)
         select v.id::uuid, '${id(8)}', '${id(9)}', '{}', '{}', v.from::uuid, v.steps::text[]
         from jsonb_to_recordset('${JSON.stringify(all.map(([one, from, steps]) => ({ id: id(one), from: id(from), steps })))}')
           as v (id text, "from" text, steps text);
         insert into kyc_sessions (id, instance_id, company_id, version_id, mode, token_hash, expires_at)
         select v::uuid, '${id(8)}', '${id(9)}', v::uuid, 'prod', sha256(convert_to(v, 'UTF8')), now()
         from unnest(array['${all.map(([one]) => id(one)).join("','")}']) as v`
        )
      const versions = execute(
        url,
        `select right(v.id::text, 1) || ' from ' || right(v.restricted_from::text, 1) || ': ' || array_to_string(v.steps, ',') as version,
         (select string_agg(right(s.id::text, 1), ' ' order by s.id) from kyc_sessions s where s.version_id = v.id) as sessions
       from kyc_instance_versions v where v.steps is not null order by v.id`
      )
      yield* execute(
        url,
        `set session_replication_role = replica;
       insert into kyc_instance_versions (id, instance_id, company_id, config, workflow)
       values ('${id(1)}', '${id(8)}', '${id(9)}', '{}', '{}')`
      )
      // 3 and 4 are the same; 5 is restricted three times.
      yield* restrict([2, 1, "{a,b,c}"], [3, 1, "{a,b}"], [4, 2, "{a,b}"], [5, 4, "{a}"])
      yield* migrateTo("_older_replicas.sql")
      const mended = [
        { version: "2 from 1: a,b,c", sessions: "2" },
        { version: "3 from 1: a,b", sessions: "3 4" },
        { version: "5 from 1: a", sessions: "5" }
      ]
      expect(yield* versions).toEqual(mended)

      yield* restrict([6, 2, "{a,b}"], [7, 3, "{b}"])
      const event = (actor: string, action: string, resource: string) =>
        execute(
          url,
          `insert into audit_events (company_id, id, actor_kind, actor_id, actor_name, action, resource_kind, resource_id, details)
         values ('${id(9)}', gen_random_uuid(), ${actor}, 'x', '${action}', 'x', '${id(resource)}', '{}')`
        )
      yield* execute(url, `insert into companies (id, name) values ('${id(9)}', 'Acme')`)
      yield* event(`'user', '${id("a")}'`, "api_key.created", "b")
      yield* event("'operator', null", "api_key.created", "c")
      yield* event(`'api_key', '${id("b")}'`, "kyc_session.review_proposed", "2")
      yield* execute(
        url,
        `set session_replication_role = replica;
       insert into api_keys (id, company_id, name, scopes, token_hash, token_prefix)
       select key::uuid, '${id(9)}', 'key', '{*}', sha256(convert_to(key, 'UTF8')), 'dlk_'
       from unnest(array['${id("b")}', '${id("c")}']) as key;
       insert into kyc_reviews (session_id, company_id, instance_id, status, proposal, proposed_by, proposed_at, session_created_at)
       values ('${id(2)}', '${id(9)}', '${id(8)}', 'proposed', 'approved', 'api', now(), now())`
      )
      yield* migrate({ url })
      expect(yield* versions).toEqual([
        mended[0],
        { version: "3 from 1: a,b", sessions: "3 4 6" },
        mended[2],
        { version: "7 from 1: b", sessions: "7" }
      ])
      expect(
        yield* execute(url, "select right(id::text, 1) as id, created_by from api_keys order by id")
      ).toEqual([
        { id: "b", created_by: id("a") },
        { id: "c", created_by: null }
      ])
      expect(yield* execute(url, "select proposed_person from kyc_reviews")).toEqual([
        { proposed_person: id("a") }
      ])
    })
)

it.scopedLive("sessions of an earlier version are counted by day, each once", () =>
  Effect.gen(function* () {
    const { migrateTo, url } = yield* older
    yield* migrateTo("_session_days.sql")
    // Without the rows that they refer to.
    yield* execute(
      url,
      `set session_replication_role = replica;
       insert into kyc_sessions (id, instance_id, company_id, version_id, mode, status, token_hash, created_at, completed_at, expires_at)
       select gen_random_uuid(), '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-00000000000c', gen_random_uuid(),
         mode, status, sha256(convert_to(n::text, 'UTF8')), created_at::timestamptz, completed_at::timestamptz, expires_at::timestamptz
       from (values
         (1, 'prod', 'completed', '2026-01-01T23:00Z', '2026-01-02T01:00Z', '2026-01-03Z'),
         (2, 'prod', 'running', '2026-01-01T10:00Z', null, '2026-01-03Z'),
         (3, 'prod', 'created', '2026-01-02T10:00Z', null, '2099-01-01Z'),
         (4, 'dev', 'cancelled', '2026-01-02T10:00Z', '2026-01-02T11:00Z', '2026-01-03Z')
       ) as s (n, mode, status, created_at, completed_at, expires_at);
       insert into event_outbox (company_id, type, data, created_at)
       select company_id, 'kyc.session.created', jsonb_build_object('id', id, 'instance_id', instance_id, 'mode', mode), created_at
       from kyc_sessions where status = 'created'`
    )
    yield* migrate({ url })
    const counts = execute(
      url,
      `select day::text, mode, created, completed, failed, cancelled, expired from kyc_session_days
       where company_id = '00000000-0000-0000-0000-00000000000c' order by day, mode`
    )
    const none = { created: 0, completed: 0, failed: 0, cancelled: 0, expired: 0 }
    const [first, third] = [
      { ...none, day: "2026-01-01", mode: "prod", created: 2 },
      { ...none, day: "2026-01-03", mode: "prod", expired: 1 }
    ]
    const test = { ...none, day: "2026-01-02", mode: "dev", created: 1, cancelled: 1 }
    const second = { ...none, day: "2026-01-02", mode: "prod", completed: 1 }
    expect(yield* counts).toEqual([first, test, second, third])
    // The log of that time has no partition any more.
    yield* execute(
      url,
      `create table events_then partition of events for values from ('2026-01-01Z') to ('2026-01-03Z');
       insert into events (position, id, company_id, type, data, created_at)
       select number, id, company_id, type, data, created_at from event_outbox`
    )
    expect(yield* counts).toEqual([first, test, { ...second, created: 1 }, third])
  })
)

it.scopedLive("instances of an earlier version have their photos looked at only if they asked for it", () =>
  Effect.gen(function* () {
    const { migrateTo, url } = yield* older
    yield* migrateTo("_photos_by_default.sql")
    /** Versions with these configs. Without the rows that they refer to. */
    const insert = (...configs: ReadonlyArray<object>) =>
      execute(
        url,
        `set session_replication_role = replica;
         insert into kyc_instance_versions (id, instance_id, company_id, config, workflow)
         select gen_random_uuid(), '${id(8)}', '${id(9)}', value, '{}'
         from jsonb_array_elements('${JSON.stringify(configs)}')`
      )
    const timeZone = "UTC"
    yield* insert({ n: 1 }, { n: 2, checks: { timeZone } }, { n: 3, checks: { photos: null } })
    yield* insert({ n: 4, checks: { photos: false } }, { n: 5, checks: { photos: true } })
    yield* migrate({ url })
    yield* insert({ n: 6 }, { n: 7, checks: { photos: null } }, { n: 8, checks: { photos: false } })
    expect(
      yield* execute(
        url,
        "select config, looks_at_photos from kyc_instance_versions order by (config -> 'n')::int"
      )
    ).toEqual([
      { config: { n: 1, checks: { photos: false } }, looks_at_photos: false },
      { config: { n: 2, checks: { photos: false, timeZone } }, looks_at_photos: false },
      { config: { n: 3, checks: { photos: false } }, looks_at_photos: false },
      { config: { n: 4, checks: { photos: false } }, looks_at_photos: false },
      { config: { n: 5, checks: { photos: true } }, looks_at_photos: true },
      { config: { n: 6 }, looks_at_photos: true },
      { config: { n: 7, checks: { photos: null } }, looks_at_photos: true },
      { config: { n: 8, checks: { photos: false } }, looks_at_photos: false }
    ])
  })
)
