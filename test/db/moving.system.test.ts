import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Scope } from "effect"
import { startEmbeddedPostgres } from "../../src/db/embedded.ts"
import { migrate } from "../../src/db/migrations.ts"
import { cli, jsonOf } from "../support/cli.ts"
import { createInstance, createKey, send, signUp } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { databaseUrl, execute, temporaryFolder } from "../support/postgres.ts"
import { startServerOn } from "../support/server.ts"

/** The statements of operations.md for one of the two servers, in order. */
const statementsOf = (text: string, server: "OLD" | "NEW") =>
  [...text.matchAll(/psql "\$(OLD|NEW)" <<'SQL'\n(.*?)\n +SQL\n/gs)].flatMap(([, of, statements = ""]) =>
    of === server ? [statements] : []
  )

/** A server for logical replication, with the rights of its superuser. */
const logicalServer = Effect.gen(function* () {
  const dataDir = yield* temporaryFolder
  const first = yield* Scope.make()
  const { adminUrl } = yield* Scope.extend(startEmbeddedPostgres({ dataDir, fsync: false }), first)
  yield* execute(adminUrl, "alter system set wal_level = logical")
  yield* Scope.close(first, Exit.void)
  return (yield* startEmbeddedPostgres({ dataDir, fsync: false })).adminUrl
})

const asOwner = (url: Redacted.Redacted): Redacted.Redacted<string> => {
  const address = new URL(Redacted.value(url))
  address.username = "owner"
  address.password = "owner"
  return Redacted.make(address.href)
}

const verified = (url: Redacted.Redacted<string>, dataDir: string) =>
  Effect.map(
    cli(["audit", "verify", "--json"], {
      env: {
        DATABASE_URL: Redacted.value(url),
        DATA_DIR: dataDir,
        SECRET_KEY: "a secret key for tests, 32 bytes at least"
      }
    }),
    jsonOf
  )

it.scopedLive(
  "logical replication moves doorlock to another server while it serves (docs/operations.md)",
  () =>
    Effect.gen(function* () {
      const page = yield* Effect.promise(() =>
        readFile(join(import.meta.dirname, "../../docs/operations.md"), "utf8")
      )
      const [prepareNew = "", copied = ""] = statementsOf(page, "NEW")
      const [publish = "", arrived = ""] = statementsOf(page, "OLD")
      const numbers = /psql "\$OLD" -At -c "(.*?)" \|/.exec(page)?.[1] ?? ""

      // Two databases of one server, which costs less time than two servers.
      const admin = yield* logicalServer
      // doorlock's role owns the tables, and is not a superuser.
      yield* execute(admin, "create role owner login password 'owner'")
      for (const name of ["old", "new"]) {
        yield* execute(admin, `create database ${name} owner owner`)
        yield* migrate({ url: asOwner(databaseUrl(admin, name)) })
      }
      const [old, fresh] = [databaseUrl(admin, "old"), databaseUrl(admin, "new")]
      const dataDir = yield* temporaryFolder

      const serving = yield* Scope.make()
      const before = yield* Scope.extend(startServerOn(asOwner(old), { DATA_DIR: dataDir }), serving)
      const member = yield* signUp(before)
      const instance = yield* createInstance(before, member)
      const create = (server: { readonly url: string }, token: string) =>
        Effect.map(
          send(server, "POST", "/api/kyc/public/sessions", {
            headers: { "x-api-key": token },
            json: { instanceId: instance.id }
          }),
          ({ status }) => status
        )
      const key = yield* createKey(before, member)
      expect(yield* create(before, key.token)).toBe(201)

      yield* execute(fresh, prepareNew)
      yield* execute(old, publish)
      // Within one server, the slot must exist before.
      yield* execute(old, "select pg_create_logical_replication_slot('doorlock', 'pgoutput')")
      yield* execute(
        fresh,
        `create subscription doorlock connection '${Redacted.value(old)}' publication doorlock with (create_slot = false)`
      )
      yield* eventually(
        "all tables are copied",
        Effect.map(execute(fresh, copied), ([row]) => row?.count === "0")
      )
      // It serves meanwhile, and changes what was copied.
      const later = yield* createKey(before, member)
      expect(yield* create(before, later.token)).toBe(201)
      yield* send(before, "POST", `/api/api-keys/${key.id}/revoke`, { headers: { cookie: member.cookie } })
      const endpoint = yield* execute(old, "select count(*)::int as sessions from kyc_sessions")
      yield* Scope.close(serving, Exit.void)
      yield* eventually(
        "everything has arrived",
        Effect.map(execute(old, arrived), ([row]) => row?.bool_and === true)
      )
      for (const { format } of yield* execute(old, numbers)) yield* execute(fresh, String(format))
      yield* execute(fresh, "drop subscription doorlock")

      const [there, here] = [yield* verified(asOwner(old), dataDir), yield* verified(asOwner(fresh), dataDir)]
      expect(there).toMatchObject({ ok: true })
      expect(here).toEqual(there)
      const tables = yield* execute(
        old,
        "select relname from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not relispartition"
      )
      for (const { relname } of tables) {
        const rows = `select count(*)::int as count, md5(string_agg(t::text, '|' order by t::text)) as content from ${relname} t`
        expect([relname, yield* execute(fresh, rows)]).toEqual([relname, yield* execute(old, rows)])
      }
      expect(endpoint).toEqual([{ sessions: 2 }])

      // The triggers refuse everybody else as before, also with triggers put off.
      for (const role of ["origin", "replica"]) {
        for (const statement of [
          "insert into audit_heads values (gen_random_uuid(), 1, '')",
          "update audit_events set address = 'x'",
          "delete from audit_events"
        ]) {
          const error = yield* Effect.flip(
            execute(fresh, `set session_replication_role = ${role}; ${statement}`)
          )
          expect(error.cause).toMatchObject({ message: "the audit trail is only ever added to" })
        }
      }

      const after = yield* startServerOn(asOwner(fresh), { DATA_DIR: dataDir })
      expect([yield* create(after, key.token), yield* create(after, later.token)]).toEqual([401, 201])
      expect(yield* verified(asOwner(fresh), dataDir)).toMatchObject({ ok: true })
    })
)
