import * as SqlClient from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { DatabaseUnavailable } from "../../src/db/connection.ts"
import * as Database from "../../src/db/database.ts"
import { transaction } from "../../src/db/sql.ts"
import { emptyDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { databaseUrl, execute } from "../support/postgres.ts"
import { withTimes } from "../support/timing.ts"

const open = (options: Partial<Database.DatabaseOptions> = {}, times: Parameters<typeof withTimes>[0] = {}) =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const context = yield* Layer.build(Database.layer({ url, maxConnections: 4, ...options }))
    return { url, sql: Context.get(context, SqlClient.SqlClient) }
  }).pipe(withTimes(times))

const single = Effect.map(open({ maxConnections: 1 }), ({ sql }) => sql)

/** One connection, on which a statement may take two seconds: longer than any that does not sleep. */
const ofShortStatements = open(
  { maxConnections: 1 },
  { timeouts: { "db.statement": 2_000, "db.answer": 500 } }
)

const backend = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ pid: number }>`select pg_backend_pid() as pid`, ([row]) => row?.pid)

it.scopedLive(
  "prepares each statement with values once, but none without values and none that opts out",
  () =>
    Effect.gen(function* () {
      const sql = yield* single
      for (const value of [1, 2, 3]) yield* sql`select ${value}::int as value`
      yield* sql`select ${1}::int as value`.values
      yield* sql`select 1 as one`
      expect(yield* sql`select ${2}::int as other`.unprepared).toEqual([{ other: 2 }])
      expect(yield* sql.unsafe("select 1; select 2")).toEqual([[{ "?column?": 1 }], [{ "?column?": 2 }]])
      expect(
        yield* sql`select statement, generic_plans + custom_plans as runs from pg_prepared_statements`
      ).toEqual([{ statement: "select $1::int as value", runs: "4" }])
    })
)

it.scopedLive("prepares again what a migration changed or the server forgot", () =>
  Effect.gen(function* () {
    const sql = yield* single
    const select = sql`select * from books where id = ${1}`
    yield* sql`create table books (id int)`
    yield* sql`insert into books values (${1})`
    expect(yield* select).toEqual([{ id: 1 }])
    for (const column of ["title", "author"]) {
      yield* sql.unsafe(`alter table books add ${column} text default 'x'`)
      expect((yield* select)[0]).toHaveProperty(column)
      expect((yield* select)[0]).toHaveProperty(column)
    }
    yield* sql`discard all`
    expect(yield* select).toEqual([{ id: 1, title: "x", author: "x" }])
  })
)

it.scopedLive("prepares again inside a transaction by rerunning the transaction", () =>
  Effect.gen(function* () {
    const sql = yield* single
    const select = sql`select * from books where id = ${1}`
    yield* sql`create table books (id int)`
    yield* select
    yield* sql`alter table books add title text`
    let attempts = 0
    const body = Effect.andThen(
      Effect.sync(() => attempts++),
      select
    )
    expect(yield* transaction(sql)(body)).toEqual([])
    expect(attempts).toBe(2)
  })
)

it.scopedLive("lets the server cancel a statement that takes too long", () =>
  Effect.gen(function* () {
    const { sql } = yield* ofShortStatements
    const before = yield* backend(sql)
    const error = yield* Effect.flip(sql`select pg_sleep(${30})`)
    expect(error.cause).toMatchObject({ code: "57014" })
    expect(yield* backend(sql)).toBe(before)
  })
)

it.scopedLive("gives up a connection whose server does not respond, inside a transaction too", () =>
  Effect.gen(function* () {
    const [{ sql }, { sql: inside }] = [yield* ofShortStatements, yield* ofShortStatements]
    const before = [yield* backend(sql), yield* backend(inside)]
    yield* sql`set statement_timeout = 0`
    const body = Effect.andThen(inside`set local statement_timeout = 0`, inside`select pg_sleep(${30})`)
    const [error, failed] = yield* Effect.all(
      [Effect.flip(sql`select pg_sleep(${30})`), Effect.exit(inside.withTransaction(body))],
      { concurrency: "unbounded" }
    )
    expect(error.cause).toMatchObject({ name: "QueryTimeout" })
    expect(Exit.isFailure(failed)).toBe(true)
    expect(yield* backend(sql)).not.toBe(before[0])
    expect(yield* backend(inside)).not.toBe(before[1])
  })
)

it.scopedLive(
  "reads the answer that came while the process stood still, also longer than a statement may take",
  () =>
    Effect.gen(function* () {
      const { sql } = yield* ofShortStatements
      const before = yield* backend(sql)
      const sleeping = yield* Effect.fork(sql`select ${"done"} as said, pg_sleep(0.3)::text as slept`)
      // As requests do that come all at once: what else has come is read after the timers that are due by then.
      const server = yield* Effect.acquireRelease(
        Effect.sync(() =>
          Bun.serve({
            port: 0,
            fetch: () => {
              Bun.sleepSync(3_500)
              return new Response()
            }
          })
        ),
        (running) => Effect.promise(() => running.stop(true))
      )
      yield* Effect.promise(() => fetch(server.url))
      expect(yield* Fiber.join(sleeping)).toEqual([{ said: "done", slept: "" }])
      expect(yield* backend(sql)).toBe(before)
    })
)

it.scopedLive("is usable after a statement was interrupted", () =>
  Effect.gen(function* () {
    const { url, sql } = yield* open({ maxConnections: 2 })
    const sleeping = yield* Effect.fork(sql`select pg_sleep(${30})`)
    const active = execute(
      url,
      "select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
    )
    const isRunning = Effect.map(active, (rows) => rows.length > 0)
    yield* eventually("the statement runs", isRunning)
    yield* Fiber.interrupt(sleeping)
    yield* eventually(
      "the statement is cancelled",
      Effect.map(isRunning, (running) => !running)
    )
    expect(
      yield* Effect.all([sql`select ${1}::int as a`, sql`select ${2}::int as a`], { concurrency: 2 })
    ).toEqual([[{ a: 1 }], [{ a: 2 }]])
  })
)

it.scopedLive("survives the loss of all its connections, idle or busy", () =>
  Effect.gen(function* () {
    const { url, sql } = yield* open()
    const others = "pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    const terminate = Effect.andThen(
      execute(url, `select pg_terminate_backend(pid) from ${others}`),
      eventually(
        "no server process left",
        Effect.map(execute(url, `select pid from ${others}`), (rows) => rows.length === 0)
      )
    )
    const all = (seconds: number) =>
      Effect.all(
        Array.from({ length: 4 }, () => Effect.exit(sql`select pg_sleep(${seconds})`)),
        { concurrency: "unbounded" }
      )
    expect((yield* all(0.05)).filter(Exit.isFailure)).toEqual([])
    yield* terminate
    expect((yield* all(0.05)).filter(Exit.isFailure)).toEqual([])

    const busy = yield* Effect.fork(all(30))
    yield* eventually(
      "four statements run",
      Effect.map(
        execute(
          url,
          "select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
        ),
        (rows) => rows.length === 4
      )
    )
    yield* terminate
    expect((yield* Fiber.join(busy)).every(Exit.isFailure)).toBe(true)
    expect((yield* all(0)).filter(Exit.isFailure)).toEqual([])
  })
)

it.scopedLive("says in one sentence why a database cannot be used, without its password", () =>
  Effect.gen(function* () {
    const failure = (url: Redacted.Redacted) =>
      Effect.flip(Layer.build(Database.layer({ url, maxConnections: 1 }))).pipe(
        withTimes({ timeouts: { "db.ready": 200 } })
      )
    const absent = yield* failure(Redacted.make("postgres://me:secret@127.0.0.1:1/shop?sslmode=disable"))
    expect(absent).toBeInstanceOf(DatabaseUnavailable)
    expect(absent.message).toBe(
      "DATABASE_URL postgres://me@127.0.0.1:1/shop did not answer within 200ms: connect ECONNREFUSED 127.0.0.1:1."
    )
    const unknown = yield* failure(
      databaseUrl(Redacted.make(inject("postgres").adminUrl), "no_such_database")
    )
    expect(unknown.message).toMatch(
      /^DATABASE_URL \S+ cannot be used: database "no_such_database" does not exist\.$/
    )
  })
)

it.scopedLive("sets its application name", () =>
  Effect.gen(function* () {
    const { sql } = yield* open()
    expect(
      yield* sql`select current_setting('application_name') as name, current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle`
    ).toEqual([{ name: "doorlock", statement: "1000s", idle: "1000s" }])
  })
)
