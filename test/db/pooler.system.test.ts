import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { Changes } from "../../src/db/changes.ts"
import { migrate } from "../../src/db/migrations.ts"
import { createInstance, createKey, field, send, signUp } from "../support/client.ts"
import { proxied } from "../support/database/tcp-proxy.ts"
import { emptyDatabase, freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { pgBouncer, withoutPgBouncer } from "../support/machine/pgbouncer.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { patient } from "../support/run/timeouts.ts"
import { type Environment, type RunningServer, startServerOn } from "../support/server.ts"
import { withTimes } from "../support/timing.ts"

const holds = (what: string, isTrue: () => boolean) => eventually(what, Effect.sync(isTrue))

const listener = (addresses: Parameters<typeof Changes.Default>[0]) =>
  Effect.gen(function* () {
    const layer = Layer.provide(Changes.Default(addresses), patient)
    const changes = Context.get(yield* Layer.build(layer), Changes)
    const heard: Array<string> = []
    /** Why it was no longer trusted, each time. */
    const reasons: Array<string | undefined> = []
    yield* changes.subscribe(
      "keys",
      (payload) => heard.push(payload),
      () => reasons.push(changes.whyUntrusted())
    )
    return { ...changes, heard, reasons }
  })

const shortLease = withTimes({ timeouts: { "db.lease": 800 } })

const unheard = "A notification did not arrive within 800 ms on the connection that listens"

describe("A listener is trusted only while it hears other connections", () => {
  it.scopedLive("no longer once its connection is silent, although it is open and the database answers", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      const proxy = yield* proxied(url)
      const { heard, isTrusted, reasons } = yield* shortLease(listener({ url, listenUrl: proxy.url }))
      yield* holds("trusted", isTrusted)
      yield* proxy.hold
      yield* holds("untrusted", () => reasons.includes(unheard) && !isTrusted())
      // What was sent meanwhile arrives late, on a connection that has been given up.
      yield* execute(url, "select pg_notify('doorlock_changes', 'keys:late')")
      yield* proxy.release
      yield* holds("trusted again", isTrusted)
      // On a busy machine it may lose this trust, and its connection, at any time.
      yield* eventually(
        "heard",
        Effect.map(execute(url, "select pg_notify('doorlock_changes', 'keys:next')"), () =>
          heard.includes("next")
        )
      )
      expect(new Set(heard)).toEqual(new Set(["next"]))
    })
  )
})

/** What sessions keep, on the one server connection that the pooler has. */
const leftOvers = (url: Redacted.Redacted) =>
  Effect.map(
    execute(
      url,
      `select (select count(*)::int from pg_prepared_statements) as statements,
        array(select pg_listening_channels()) as channels,
        (select count(*)::int from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())) as locks,
        current_setting('statement_timeout') as timeout, current_setting('lock_timeout') as lock_timeout`
    ),
    ([row]) => row
  )

const nothing = { statements: 0, channels: [], locks: 0, timeout: "0", lock_timeout: "0" }

const invalid = [401, { error: "Invalid API key" }]

/** Two replicas with a key that both have accepted, the second several times. */
const replicas = (
  database: Redacted.Redacted<string>,
  environment: Environment,
  started: typeof startServerOn = startServerOn
) =>
  Effect.gen(function* () {
    const first = yield* started(database, environment)
    const second = yield* started(database, environment)
    const changes = [first, second].map(({ services }) => Context.get(services, Changes))
    const member = yield* signUp(first)
    const instance = yield* createInstance(first, member)
    const key = yield* createKey(first, member)
    const use = (server: RunningServer) =>
      Effect.map(
        send(server, "POST", "/api/kyc/public/sessions", {
          headers: { "x-api-key": key.token },
          json: { instanceId: instance.id }
        }),
        ({ body, status }) => [status, body]
      )
    const warm = Effect.forEach([first, second, second, second], (server) =>
      Effect.map(use(server), ([status]) => expect(status).toBe(201))
    )
    const revoke = Effect.map(
      send(first, "POST", `/api/api-keys/${key.id}/revoke`, { headers: { cookie: member.cookie } }),
      ({ status }) => expect(status).toBe(200)
    )
    return { changes, first, second, use, warm, revoke }
  })

describe.skipIf(withoutPgBouncer)("behind PgBouncer that pools transactions (needs pgbouncer)", () => {
  for (const [title, listens, reason] of [
    ["without DATABASE_LISTEN_URL", false, /^DATABASE_URL goes through a pooler, .* set DATABASE_LISTEN_URL/],
    ["with a DATABASE_LISTEN_URL that is the pooler too", true, new RegExp(unheard)]
  ] as const) {
    it.scopedLive(
      `a revoked key is refused at once by all replicas ${title}, because nothing is cached`,
      () =>
        Effect.gen(function* () {
          const database = yield* freshDatabase
          const url = Redacted.value((yield* pgBouncer(database)).url)
          const { changes, revoke, second, use, warm } = yield* replicas(
            database,
            { DATABASE_URL: url, ...(listens ? { DATABASE_LISTEN_URL: url } : {}) },
            (...given) => shortLease(startServerOn(...given))
          )
          for (const { whyUntrusted } of changes) {
            yield* holds("it says why", () => reason.test(whyUntrusted() ?? ""))
          }
          yield* warm
          yield* revoke
          for (let i = 0; i < 20; i++) expect(yield* use(second)).toStrictEqual(invalid)
          expect(changes.map(({ isTrusted }) => isTrusted())).toEqual([false, false])
          yield* eventually(
            "/readyz says why",
            Effect.map(
              send(second, "GET", "/readyz"),
              ({ body }) => field(body, "ok") === true && reason.test(String(field(body, "warning")))
            )
          )
        })
    )
  }

  it.scopedLive("with a direct DATABASE_LISTEN_URL, keys are cached, and a revoked one is soon refused", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const bouncer = yield* pgBouncer(database)
      const { changes, revoke, second, use, warm } = yield* replicas(database, {
        DATABASE_URL: Redacted.value(bouncer.url),
        DATABASE_LISTEN_URL: Redacted.value(database)
      })
      for (const { isTrusted } of changes) yield* holds("trusted", isTrusted)
      yield* warm
      yield* revoke
      yield* eventually(
        "refused",
        Effect.map(use(second), ([status]) => status === 401)
      )
      for (let i = 0; i < 5; i++) expect(yield* use(second)).toStrictEqual(invalid)
      expect((yield* send(second, "GET", "/readyz")).body).toStrictEqual({ ok: true })

      yield* bouncer.kill
      for (const { isTrusted } of changes) yield* holds("untrusted without the pooler", () => !isTrusted())
      yield* bouncer.start
      for (const { isTrusted } of changes) yield* holds("trusted again", isTrusted)
      expect(yield* use(second)).toStrictEqual(invalid)
    })
  )

  it.scopedLive("migrates again and again, with a new file too, and leaves no lock", () =>
    Effect.gen(function* () {
      const database = yield* emptyDatabase
      const { url } = yield* pgBouncer(database, { pool_mode: "transaction", default_pool_size: 2 })
      const folder = yield* temporaryFolder
      const add = (name: string, text: string) => Effect.promise(() => writeFile(join(folder, name), text))
      const names = Effect.map(migrate({ url, folder }), (applied) => applied.map(({ name }) => name))
      yield* add("0001_shelves.sql", "create table shelves (id int)")
      expect(yield* names).toEqual(["0001_shelves.sql"])
      expect(yield* names).toEqual([])
      yield* add("0002_books.sql", "create table books (id int)")
      const both = yield* Effect.all([names, names, names], { concurrency: "unbounded" })
      expect(both.flat()).toEqual(["0002_books.sql"])
      expect(yield* leftOvers(url)).toEqual(nothing)
      expect((yield* leftOvers(database))?.locks).toBe(0)
    })
  )
})

describe.skipIf(withoutPgBouncer)("behind PgBouncer that pools sessions (needs pgbouncer)", () => {})
