/** The roles of the embedded database: the rights of the service's role, and what each start restores. */
import { copyFileSync, readdirSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Scope } from "effect"
import { inject } from "vitest"
import { type EmbeddedAccess, roles } from "../../src/db/embedded/roles.ts"
import { startEmbeddedPostgres } from "../../src/db/embedded.ts"
import { migrate } from "../../src/db/migrations.ts"
import { cliProcess, jsonOf } from "../support/cli.ts"
import { signUp } from "../support/client.ts"
import { freshDatabase, servedUrl } from "../support/database.ts"
import { databaseUrl, execute, temporaryFolder } from "../support/postgres.ts"
import { startServer, startServerOn } from "../support/server.ts"

const folder = join(import.meta.dirname, "../../migrations")

const ofFile = Effect.runSync(Scope.make())
afterAll(() => Effect.runPromise(Scope.close(ofFile, Exit.void)))

/** The folder of a database with its migrations, whose server has ended. */
const original = Effect.runSync(
  Effect.cached(
    Effect.tap(Scope.extend(temporaryFolder, ofFile), (dataDir) =>
      Effect.scoped(
        Effect.flatMap(startEmbeddedPostgres({ dataDir, fsync: false }), ({ migrator }) => migrate(migrator))
      )
    )
  )
)

/** A copy of it. */
const copyOfOriginal = Effect.gen(function* () {
  const dataDir = yield* temporaryFolder
  // With the owners of the files, who are others where root runs the tests.
  const copying = Bun.spawn(["cp", "-a", `${yield* original}/.`, dataDir])
  expect(yield* Effect.promise(() => copying.exited)).toBe(0)
  return dataDir
})

/** A database with its migrations. */
const migrated = Effect.gen(function* () {
  const dataDir = yield* copyOfOriginal
  return { ...(yield* startEmbeddedPostgres({ dataDir, fsync: false })), dataDir }
})

const usernameOf = (url: string) => new URL(url).username

/** Whether the tests' service has its own role, as it has on the embedded database. */
const { adminUrl, serviceUrl } = inject("postgres")
const servesAsItself = usernameOf(serviceUrl) !== usernameOf(adminUrl)

/** The database's error message, if any. */
const refusal = (url: Redacted.Redacted, text: string) =>
  Effect.match(execute(url, text), {
    onFailure: ({ cause }) => (cause instanceof Error ? cause.message : cause),
    onSuccess: () => "done"
  })

/** The owners of the database, its tables and its functions. */
const ownersIn = ({ adminUrl }: EmbeddedAccess) =>
  Effect.map(
    execute(
      adminUrl,
      `select distinct owner::regrole::text from (
        select datdba as owner from pg_database where datname = current_database()
        union all select relowner from pg_class where relnamespace = 'public'::regnamespace
        union all select proowner from pg_proc where pronamespace = 'public'::regnamespace
        union all select typowner from pg_type where typnamespace = 'public'::regnamespace
      ) as owners`
    ),
    (rows) => rows.map(({ owner }) => owner)
  )

/** A role's rights on the audit tables, and on all other tables. */
const rightsOf = (url: Redacted.Redacted, role: string) =>
  execute(
    url,
    `select case when c.relname ~ '^audit_|^schema_|^events?(_log|_watermarks|$)|^work_poison|^webhook_(attempts|deliveries)|^kyc_session_notes|^kyc_sessions$|^kyc_browser_marks|^receipt_keys|^companies$|^dropped_session_months$|^kyc_instances$|^kyc_instance_versions$|^marketplace_keys$|^subscriptions$' then c.relname else 'others' end as name, array(
        select p from unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN']) p
        where has_table_privilege($1, c.oid, p)
      ) as rights
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    group by 1, 2 order by 1`,
    [role]
  )

const rights = [
  { name: "audit_events", rights: ["SELECT", "INSERT"] },
  { name: "audit_heads", rights: ["SELECT", "UPDATE"] },
  { name: "audit_seals", rights: ["SELECT", "INSERT", "UPDATE"] },
  { name: "audit_setbacks", rights: ["SELECT"] },
  { name: "companies", rights: ["SELECT", "INSERT", "UPDATE"] },
  { name: "dropped_session_months", rights: ["SELECT", "UPDATE"] },
  { name: "event_log_end", rights: ["SELECT", "UPDATE"] },
  { name: "event_watermarks", rights: ["SELECT", "UPDATE"] },
  { name: "events", rights: ["SELECT", "INSERT"] },
  { name: "kyc_browser_marks", rights: ["SELECT", "INSERT", "DELETE"] },
  { name: "kyc_instance_versions", rights: ["SELECT", "INSERT", "UPDATE"] },
  { name: "kyc_instances", rights: ["SELECT", "INSERT", "UPDATE"] },
  { name: "kyc_session_notes", rights: ["SELECT", "INSERT", "DELETE"] },
  { name: "kyc_sessions", rights: ["SELECT", "INSERT", "UPDATE"] },
  { name: "marketplace_keys", rights: ["SELECT", "INSERT", "UPDATE"] },
  { name: "others", rights: ["SELECT", "INSERT", "UPDATE", "DELETE"] },
  { name: "receipt_keys", rights: ["SELECT", "INSERT", "UPDATE"] },
  { name: "schema_migrations", rights: ["SELECT"] },
  { name: "subscriptions", rights: ["SELECT", "INSERT", "UPDATE"] },
  { name: "webhook_attempts", rights: ["SELECT", "INSERT"] },
  { name: "webhook_deliveries", rights: ["SELECT", "INSERT", "UPDATE"] },
  { name: "work_poison", rights: ["SELECT", "INSERT", "DELETE"] }
]

/** Statements of an attacker who can make the service execute SQL. */
const attacks = {
  "remove sessions": "delete from kyc_sessions",
  "remove sessions of before": "delete from kyc_sessions_first",
  "remove a month of sessions": "drop table kyc_sessions_first",
  "change an event": "update audit_events set action = 'x'",
  "remove events": "delete from audit_events",
  "remove all events": "truncate audit_events",
  "cut off a tail": "update audit_heads set position = position - 1",
  "remove a head": "delete from audit_heads",
  "remove a seal": "delete from audit_seals",
  "note that the clock was set back":
    "insert into audit_setbacks values (gen_random_uuid(), 1, now(), now() + '1 s')",
  "drop a trigger": "drop trigger audit_events_kept on audit_events",
  "put the triggers off": "alter table audit_events disable trigger all",
  "put the triggers off for a session": "set session_replication_role = replica",
  // The grant alone only warns.
  "take the privilege": `grant all on audit_events to ${roles.service}; update audit_events set action = 'x'`,
  "change what a trigger does":
    "create or replace function audit_refuse() returns trigger language plpgsql as 'begin end'",
  "make a table": "create table mine (id int)",
  "make a temporary table": "create temporary table mine (id int)",
  "make a function": "create function pg_temp.mine() returns int language sql as 'select 1'",
  "make a schema": "create schema mine",
  "make a role": "create role mine",
  "make a database": "create database mine",
  "be the owner": `set role ${roles.owner}`,
  "be the superuser": `set role ${roles.administrator}`,
  "give itself more": `alter role ${roles.service} superuser`,
  "say that a migration is applied": "insert into schema_migrations values (9999, 'x', 'x')",
  "read a file": "select pg_read_file('postgresql.conf')",
  "write a file": "copy companies to '/tmp/doorlock-roles-test'",
  "run a program": "copy companies to program 'true'",
  "make a large object": "select lo_create(0)",
  "make a large object of bytes": "select lo_from_bytea(0, 'x')",
  "read passwords": "select rolpassword from pg_authid",
  "change the server": "alter system set fsync = off"
}

describe("the service's role", () => {
  it.scopedLive("owns nothing, has no more rights than it needs, and reaches no other database", () =>
    Effect.gen(function* () {
      const access = yield* migrated
      const name = (url: Redacted.Redacted) => new URL(Redacted.value(url)).username
      expect([name(access.url), name(access.migrator.url)]).toEqual([roles.service, roles.owner])
      expect(yield* ownersIn(access)).toEqual([roles.owner])
      expect(yield* rightsOf(access.adminUrl, roles.service)).toEqual(rights)
      for (const url of [access.url, access.migrator.url]) {
        expect(
          yield* execute(
            url,
            `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
              (select count(*)::int from pg_auth_members where member = r.oid) as memberships
            from pg_roles r where rolname = current_user`
          )
        ).toEqual([
          {
            rolsuper: false,
            rolcreaterole: false,
            rolcreatedb: false,
            rolreplication: false,
            rolbypassrls: false,
            memberships: 0
          }
        ])
        expect((yield* Effect.flip(execute(databaseUrl(url, "template1"), "select 1"))).message).toMatch(
          /permission denied for database/
        )
      }
    })
  )

  it.scopedLive("cannot change the audit trail, whatever it executes", () =>
    Effect.gen(function* () {
      const access = yield* migrated
      const server = yield* startServerOn(access.url)
      yield* signUp(server)
      const trail = execute(
        access.adminUrl,
        "select e.*, h.position as head, s.seal from audit_events e join audit_heads h using (company_id) join audit_seals s using (company_id)"
      )
      const before = yield* trail
      expect(before.length).toBeGreaterThan(0)
      for (const [what, text] of Object.entries(attacks)) {
        expect(yield* refusal(access.url, text), what).toMatch(
          /permission denied|must be (?:owner|able|superuser)|only ever added to|Only roles with/
        )
      }
      expect(yield* trail).toEqual(before)
      expect(yield* rightsOf(access.adminUrl, roles.service)).toEqual(rights)
    })
  )

  it.scopedLive.runIf(servesAsItself)(
    "may not use a trigger of its own to write the end of a chain (needs the embedded database)",
    () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase
        // In the tests' databases the role may create temporary tables, as everybody may by default.
        expect(
          yield* refusal(
            servedUrl(url),
            `create temporary table mine (like audit_events);
          create trigger mine before insert on mine for each row execute function audit_append()`
          )
        ).toBe("permission denied for function audit_append")
      })
  )

  it.scopedLive(
    "has its rights on a table that a later migration creates, even if that start was killed",
    () =>
      Effect.gen(function* () {
        const { adminUrl, migrator } = yield* migrated
        const more = yield* temporaryFolder
        for (const name of readdirSync(folder)) copyFileSync(join(folder, name), join(more, name))
        const next = String(readdirSync(folder).length + 1).padStart(4, "0")
        writeFileSync(join(more, `${next}_later.sql`), "create table later (id int)")
        // The state after a start that was killed before it granted the rights.
        yield* migrate({ url: migrator.url, folder: more })
        const rightsOnLater = execute(
          adminUrl,
          `select has_table_privilege('${roles.service}', 'later', 'select, insert') as has`
        )
        expect(yield* rightsOnLater).toEqual([{ has: false }])
        expect(yield* migrate({ ...migrator, folder: more })).toEqual([])
        expect(yield* rightsOnLater).toEqual([{ has: true }])
        expect(yield* rightsOf(adminUrl, roles.service)).toEqual(rights)
      })
  )
})

it.scopedLive("the three roles have different passwords, and only the administrator's is stored", () =>
  Effect.gen(function* () {
    const { adminUrl, dataDir, migrator, url } = yield* migrated
    const kept = (yield* Effect.promise(() => readFile(join(dataDir, "postgres.password"), "utf8"))).trim()
    const passwords = [adminUrl, migrator.url, url].map((one) => new URL(Redacted.value(one)).password)
    expect(passwords[0]).toBe(kept)
    expect(new Set(passwords).size).toBe(3)
    for (const password of passwords) expect(password.length).toBeGreaterThanOrEqual(32)
    // The password is random, so a connection need not compute 4,096 hashes.
    expect(
      yield* execute(
        adminUrl,
        "select distinct split_part(rolpassword, ':', 1) like 'SCRAM-SHA-256$1:%' or rolpassword like 'SCRAM-SHA-256$1:%' as once from pg_authid where rolcanlogin"
      )
    ).toEqual([{ once: true }])
  })
)

/** The state of a new database whose first start was killed after its first transaction. */
const asKilled = ({ adminUrl }: EmbeddedAccess) =>
  execute(databaseUrl(adminUrl, "template1"), "alter database doorlock rename to postgres")

it.scopedLive("a start that was killed half-way is finished by the next command", () =>
  Effect.gen(function* () {
    const dataDir = yield* copyOfOriginal
    const before = yield* Effect.scoped(
      Effect.gen(function* () {
        const access = yield* startEmbeddedPostgres({ dataDir, fsync: false })
        yield* Effect.scoped(Effect.flatMap(startServerOn(access.url), signUp))
        const events = yield* execute(access.adminUrl, "select * from audit_events")
        yield* asKilled(access)
        return events
      })
    )
    expect(before.length).toBeGreaterThan(0)
    // Other checks may fail: the next start grants the service's role its rights.
    const doctor = yield* cliProcess(["doctor", "--json"], { env: { DATA_DIR: dataDir }, exitCode: [0, 1] })
    expect(Object(jsonOf(doctor)).checks).toContainEqual(
      expect.objectContaining({ name: "migrations", status: "ok" })
    )
    const access = yield* startEmbeddedPostgres({ dataDir, fsync: false })
    yield* migrate(access.migrator)
    expect(yield* ownersIn(access)).toEqual([roles.owner])
    expect(yield* rightsOf(access.adminUrl, roles.service)).toEqual(rights)
    expect(yield* execute(access.url, "select * from audit_events")).toEqual(before)
    yield* signUp(yield* startServerOn(access.url))
  })
)

it.scopedLive("the tests' own service has a role that owns nothing", () =>
  Effect.gen(function* () {
    const { databaseUrl: url } = yield* startServer()
    const connected = yield* execute(
      url,
      "select distinct usename from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'"
    )
    expect(connected).toEqual([{ usename: usernameOf(serviceUrl) }])
  })
)
