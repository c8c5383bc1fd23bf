import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { Changes, notify } from "../../src/db/changes.ts"
import * as Database from "../../src/db/database.ts"
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

const holds = (what: string, isTrue: () => boolean) => eventually(what, isTrue)

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
  it.scopedLive("not on another database", () =>
    Effect.gen(function* () {
      const [url, listenUrl] = [yield* emptyDatabase, yield* emptyDatabase]
      const { heard, isTrusted, whyUntrusted } = yield* shortLease(listener({ url, listenUrl }))
      yield* holds("it has waited for a heartbeat", () => whyUntrusted() === unheard)
      expect([isTrusted(), heard]).toEqual([false, []])
    })
  )

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

  it.scopedLive("by the notifications of other processes too, but only by those sent since", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      const all = yield* Effect.all(Array.from({ length: 5 }, () => listener({ url })))
      for (const { isTrusted } of all) yield* holds("trusted", isTrusted)
      // Forged or late: an old transaction, and one of another server.
      const old = yield* shortLease(listener({ url, listenUrl: yield* emptyDatabase }))
      yield* execute(
        url,
        "select pg_notify('doorlock_changes', 'beat:1.5:999999999'), pg_notify('doorlock_changes', 'beat:x')"
      )
      yield* holds("the other database does not count", () => old.whyUntrusted() === unheard)
      for (const { heard, isTrusted, reasons } of all) {
        expect([isTrusted(), heard, reasons]).toEqual([true, [], []])
      }
    })
  )
})

const pool = (url: Redacted.Redacted, options: Partial<Database.DatabaseOptions> = {}) =>
  Effect.map(
    Layer.build(Layer.provide(Database.layer({ url, maxConnections: 8, ...options }), patient)),
    (context) => Context.get(context, SqlClient.SqlClient)
  )

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

  it.scopedLive(
    "each of many statements gets its own result, in and outside transactions, and nothing is left",
    () =>
      Effect.gen(function* () {
        const database = yield* emptyDatabase
        const { url } = yield* pgBouncer(database, { pool_mode: "transaction", default_pool_size: 2 })
        const sql = yield* pool(url)
        yield* sql`create table books (id int primary key, title text)`
        const one = (id: number) => sql`select ${id}::int as id, ${`t${id}`}::text as title`
        const numbers = Array.from({ length: 200 }, (_, id) => id)
        const found = yield* Effect.forEach(numbers, one, { concurrency: "unbounded" })
        expect(found).toEqual(numbers.map((id) => [{ id, title: `t${id}` }]))
        yield* Effect.forEach(
          numbers,
          (id) =>
            sql.withTransaction(
              Effect.zipRight(
                sql`insert into books values (${id}, ${`t${id}`})`,
                sql`select from books where id = ${id}`
              )
            ),
          { concurrency: 8 }
        )
        yield* Effect.flip(sql`insert into books values (${1}, ${"twice"})`)
        expect(yield* sql`select count(*)::int as count from books where title <> ${"twice"}`).toEqual([
          { count: 200 }
        ])
        expect(yield* sql`select count(*)::int as count from books`.unprepared).toEqual([{ count: 200 }])
        expect(yield* sql`select id, title from books where id = ${7}`.values).toEqual([[7, "t7"]])
        for (let i = 0; i < 2; i++) expect(yield* leftOvers(url)).toEqual(nothing)
      })
  )

  it.scopedLive("the server limits statements and idle transactions, and only doorlock's", () =>
    Effect.gen(function* () {
      const { url } = yield* pgBouncer(yield* emptyDatabase, {
        pool_mode: "transaction",
        default_pool_size: 1
      })
      const sql = yield* pool(url).pipe(withTimes({ timeouts: { "db.statement": 2_000 } }))
      const limits = [{ statement: "2s", idle: "2s" }]
      expect(yield* sql`select current_setting('statement_timeout') as statement`).toEqual([
        { statement: "2s" }
      ])
      expect(yield* sql`select current_setting(${"statement_timeout"}) as statement`).toEqual([
        { statement: "2s" }
      ])
      expect(
        yield* sql.withTransaction(
          sql`select current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle`
        )
      ).toEqual(limits)
      for (const slow of [sql`select pg_sleep(600)`, sql`select pg_sleep(${600})`]) {
        expect(yield* Effect.flip(slow)).toMatchObject({ cause: { code: "57014" } })
        expect(yield* Effect.flip(sql.withTransaction(slow))).toMatchObject({ cause: { code: "57014" } })
      }
      expect(yield* leftOvers(url)).toEqual(nothing)
    })
  )

  it.scopedLive("an interrupted statement ends on the server, and no other does", () =>
    Effect.gen(function* () {
      const database = yield* emptyDatabase
      const { url } = yield* pgBouncer(database, { pool_mode: "transaction", default_pool_size: 3 })
      const sql = yield* pool(url)
      const sleeping = (seconds: number) =>
        Effect.map(
          execute(
            database,
            "select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
          ),
          ({ length }) => length === seconds
        )
      const fibers = yield* Effect.all([
        Effect.fork(sql`select pg_sleep(${500})`),
        Effect.fork(sql.withTransaction(sql`select pg_sleep(${501})`)),
        Effect.fork(sql`select pg_sleep(${502})`)
      ])
      yield* eventually("three sleep", sleeping(3))
      const [first, second, third] = fibers
      yield* Fiber.interrupt(first)
      yield* eventually("two sleep", sleeping(2))
      yield* Fiber.interrupt(second)
      yield* eventually("one sleeps", sleeping(1))
      expect(yield* Fiber.poll(third)).toMatchObject({ _tag: "None" })
      yield* Fiber.interrupt(third)
      expect(yield* sql`select ${1}::int as one`).toEqual([{ one: 1 }])
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

describe.skipIf(withoutPgBouncer)("behind PgBouncer that pools sessions (needs pgbouncer)", () => {
  it.scopedLive("DATABASE_POOLER=session: prepares statements, keeps its limits, and hears changes", () =>
    Effect.gen(function* () {
      const { url } = yield* pgBouncer(yield* emptyDatabase, { pool_mode: "session" })
      const sql = yield* pool(url, { maxConnections: 1, pooling: "session" }).pipe(
        withTimes({ timeouts: { "db.statement": 3_000 } })
      )
      expect(yield* sql`select current_setting(${"statement_timeout"}) as statement`).toEqual([
        { statement: "3s" }
      ])
      expect(yield* sql`select count(*)::int as count from pg_prepared_statements`).toEqual([{ count: 1 }])
      const { heard, isTrusted } = yield* listener({ url, pooling: "session" })
      yield* holds("trusted", isTrusted)
      yield* sql`select ${notify("keys", "x")}`
      yield* holds("heard", () => heard.includes("x"))
    })
  )
})

it.scopedLive("DATABASE_POOLER=none: a connection of the server's is used as one, and found to be one", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    for (const pooling of [undefined, "none"] as const) {
      const sql = yield* pool(url, { maxConnections: 1, pooling })
      yield* sql`select ${1}::int as one`
      expect(yield* sql`select count(*)::int as count from pg_prepared_statements`).toEqual([{ count: 1 }])
    }
  })
)
