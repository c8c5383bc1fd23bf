/** Many callers' statements on few connections: each gets its own result, whatever happens to the others. */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, type Redacted } from "effect"
import * as Database from "../../../src/db/database.ts"
import { PipelinedClient } from "../../../src/db/driver/pipelined-client.ts"
import { ConnectionPool } from "../../../src/db/driver/pool.ts"
import { Connector } from "../../../src/db/driver/servers.ts"
import { isPassing, orDie } from "../../../src/db/sql.ts"
import { proxied } from "../../support/database/tcp-proxy.ts"
import { emptyDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { execute } from "../../support/postgres.ts"
import { patient } from "../../support/run/timeouts.ts"
import { patientTiming, withTimes } from "../../support/timing.ts"

const openOn = (url: Redacted.Redacted, maxConnections: number) =>
  Effect.map(Layer.build(Layer.provide(Database.layer({ url, maxConnections }), patient)), (context) =>
    Context.get(context, SqlClient.SqlClient)
  )

const open = (maxConnections: number) => Effect.flatMap(emptyDatabase, (url) => openOn(url, maxConnections))

/** Connections with a statement that waits for a lock and began this long ago by the database's clock. */
const waitingOn = (url: Redacted.Redacted, longer = "0") =>
  execute(
    url,
    `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
     and query_start < clock_timestamp() - $1::interval`,
    [longer]
  )

/** Opens all connections: this many transactions wait until each has begun. */
const openAll = (sql: SqlClient.SqlClient, connections: number) =>
  Effect.gen(function* () {
    const all = yield* Deferred.make<void>()
    let begun = 0
    const one = sql.withTransaction(
      Effect.suspend(() => (++begun === connections ? Deferred.succeed(all, undefined) : Deferred.await(all)))
    )
    yield* Effect.replicateEffect(one, connections, { concurrency: "unbounded", discard: true })
  })

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

it.scopedLive("each of many concurrent statements gets its own result", () =>
  Effect.gen(function* () {
    const sql = yield* open(2)
    const found = yield* Effect.all(
      numbers(500).map((value) =>
        value % 2 === 0
          ? sql`select ${value}::int as value, ${`text ${value}`}::text as text`
          : sql`select ${value}::int as value, repeat('x', ${value}::int) as text`
      ),
      { concurrency: "unbounded" }
    )
    expect(found).toEqual(
      numbers(500).map((value) => [{ value, text: value % 2 === 0 ? `text ${value}` : "x".repeat(value) }])
    )
  })
)

it.scopedLive("a statement that fails, at any stage, does not affect the others on its connection", () =>
  Effect.gen(function* () {
    const sql = yield* open(1)
    yield* sql`create table books (id int primary key)`
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const exits = yield* Effect.all(
      numbers(60).map((value) =>
        Effect.exit(
          [
            sql`insert into books values (${value}) returning id`,
            sql`insert into books values (${0}) returning id`,
            sql`select ${value}::int / 0 as id`,
            sql`select ${value} from nowhere`,
            sql`select ${circular as never}::jsonb as id`
          ][value % 5] ?? sql`select 1`
        )
      ),
      { concurrency: "unbounded" }
    )
    expect(exits.map(Exit.isSuccess)).toEqual(numbers(60).map((value) => value % 5 === 0))
    expect(yield* sql`select count(*)::int as books from books`).toEqual([{ books: 12 }])
  })
)

it.scopedLive("values of every type arrive unchanged", () =>
  Effect.gen(function* () {
    const sql = yield* open(1)
    const at = new Date("2026-11-20T10:00:00.123Z")
    const text = 'a "quoted", back\\slashed {brace}, ü, 🜚'
    const bytes = new Uint8Array([0, 1, 254, 255])
    const asked = sql`
        select ${text}::text as text, ${[text, "", "NULL", null] as never}::text[] as texts, ${bytes} = '\\x0001feff'::bytea as bytes,
          ${at}::timestamptz as at, ${1.5}::float8 as number, ${true}::bool as truth, ${null}::text as nothing,
          ${"x".repeat(100_000)}::text = repeat('x', 100000) as large, '0044-03-15 12:00+00 BC'::timestamptz as old,
          '2026-11-20 10:00:00.5+02'::timestamptz as elsewhere, ${new Date("-000043-03-15T12:00:00.000Z")}::timestamptz as older,
          ${new Date(8.64e15)}::timestamptz as late`
    for (const answered of [asked, asked.unprepared])
      expect(yield* answered).toEqual([
        {
          text,
          texts: [text, "", "NULL", null],
          bytes: true,
          at,
          number: 1.5,
          truth: true,
          nothing: null,
          large: true,
          old: new Date("-000043-03-15T12:00:00.000Z"),
          elsewhere: new Date("2026-11-20T08:00:00.500Z"),
          older: new Date("-000043-03-15T12:00:00.000Z"),
          late: new Date(8.64e15)
        }
      ])
  })
)

it.scopedLive("short reads of one tick are sent together; a statement that may take long is sent alone", () =>
  Effect.gen(function* () {
    const sql = yield* open(5)
    yield* sql`create table books (id int, title text)`
    yield* sql`insert into books values (1, 'Emma')`
    /** How many connections execute these statements, sent at once. */
    const connectionsOf = (count: number, statement: Effect.Effect<ReadonlyArray<object>, SqlError>) =>
      Effect.map(
        Effect.all(
          Array.from({ length: count }, () => statement),
          { concurrency: "unbounded" }
        ),
        (answers) => new Set(answers.flatMap((rows) => rows.map((row) => JSON.stringify(row)))).size
      )
    const read = sql`select pg_backend_pid() from books where id = ${1}`
    const others = [
      sql`select pg_backend_pid() from books where id = ${1} for key share`,
      sql`select pg_backend_pid(), pg_sleep(${0.05})`,
      sql`update books set title = ${"a"} where id = 1 returning pg_backend_pid()`,
      sql`insert into books values (${2}) returning pg_backend_pid()`
    ]
    // The pool assumes the worst of an unknown statement. These runs also open all connections.
    for (const statement of [read, ...others]) yield* connectionsOf(10, statement)
    for (const [reads, connections] of [
      [8, 1],
      [24, 3]
    ] as const) {
      yield* eventually(
        `the pool knows that it is short: ${reads} take ${connections} connections`,
        Effect.zipRight(
          connectionsOf(200, read),
          Effect.map(connectionsOf(reads, read), (taken) => taken === connections)
        )
      )
    }
    for (const statement of others) expect(yield* connectionsOf(5, statement)).toBe(5)
  })
)

it.scopedLive("a long read does not count as short because it failed or found nothing quickly", () =>
  Effect.gen(function* () {
    const sql = yield* open(5)
    yield* sql`create table books (id int, title text)`
    yield* sql`insert into books values (1, 'Emma')`
    const all = <A>(count: number, statement: Effect.Effect<A, SqlError>) =>
      Effect.all(
        Array.from({ length: count }, () => statement),
        { concurrency: "unbounded" }
      )
    const failing = (by: number) =>
      sql`select 1 / ${by}::int, pg_backend_pid() as pid, (select count(*) from generate_series(1, ${300_000}::int))`
    const finding = (id: number) =>
      sql`select pg_backend_pid() as pid, (select count(*) from generate_series(1, ${300_000}::int + id)) from books where id = ${id}`
    for (const [long, quick] of [
      [failing(1), Effect.exit(failing(0))],
      [finding(1), Effect.exit(finding(2))]
    ] as const) {
      yield* all(5, long)
      yield* long
      yield* quick
      const answers = yield* all(5, long)
      expect(new Set(answers.flatMap((rows) => rows.map((row) => JSON.stringify(row)))).size).toBe(5)
    }
  })
)

it.scopedLive("short reads do not queue behind a statement that waits for a lock", () =>
  Effect.gen(function* () {
    const sql = yield* open(3)
    yield* sql`create table books (id int primary key, title text)`
    yield* sql`insert into books values (1, 'Emma')`
    const read = sql`select title from books where id = ${1}`
    const pause = (seconds: number) => sql`select pg_sleep(${seconds})`
    yield* openAll(sql, 3)
    const locked = yield* Deferred.make<void>()
    const free = yield* Deferred.make<void>()
    const holder = yield* Effect.fork(
      sql.withTransaction(
        sql`update books set title = ${"a"} where id = ${1}`.pipe(
          Effect.andThen(Deferred.succeed(locked, undefined)),
          Effect.andThen(Deferred.await(free))
        )
      )
    )
    yield* Deferred.await(locked)
    yield* Effect.all(
      numbers(200).map(() => read),
      { concurrency: "unbounded" }
    )
    // The transaction has one connection. Of the other two, one waits for the transaction, and the other is busy for a
    // moment.
    const waiter = yield* Effect.fork(sql`update books set title = ${"b"} where id = ${1}`)
    const busy = yield* Effect.fork(pause(0.02))
    yield* Effect.yieldNow()
    const reads = yield* Effect.forEach(Array.from({ length: 8 }), () => Effect.fork(read))
    yield* Fiber.join(busy)
    const done = Effect.map(
      Effect.forEach(reads, (each) => each.status),
      (all) => all.filter(({ _tag }) => _tag === "Done").length
    )
    yield* eventually(
      "half of the reads are answered, at least",
      Effect.map(done, (count) => count >= 4)
    )
    yield* Deferred.succeed(free, undefined)
    yield* Fiber.joinAll<unknown, SqlError>([holder, waiter, ...reads])
  })
)

it.scopedLive("a statement that waits for a lock delays no other while another connection is available", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const sql = yield* openOn(url, 3)
    yield* sql`create table books (id int primary key, title text)`
    yield* sql`insert into books values (1, 'Emma')`
    const locked = yield* Deferred.make<void>()
    const free = yield* Deferred.make<void>()
    const holder = yield* Effect.fork(
      sql.withTransaction(
        sql`update books set title = ${"a"} where id = ${1}`.pipe(
          Effect.andThen(Deferred.succeed(locked, undefined)),
          Effect.andThen(Deferred.await(free))
        )
      )
    )
    yield* Deferred.await(locked)
    const waiter = yield* Effect.fork(sql`update books set title = ${"b"} where id = ${1} returning title`)
    yield* eventually(
      "it has waited for the lock for longer than the pool takes for short",
      Effect.map(waitingOn(url, "100 milliseconds"), ({ length }) => length === 1)
    )
    const all = yield* Effect.all(
      numbers(50).map((value) => sql`select ${value}::int as value`),
      { concurrency: "unbounded" }
    )
    expect(all).toHaveLength(50)
    expect(yield* waitingOn(url)).toHaveLength(1)
    yield* Deferred.succeed(free, undefined)
    yield* Fiber.join(holder)
    expect(yield* Fiber.join(waiter)).toEqual([{ title: "b" }])
  })
)

it.scopedLive("an interrupted statement neither takes another's result nor leaves its own to the next", () =>
  Effect.gen(function* () {
    const sql = yield* open(1)
    yield* sql`select ${0}::int as value`
    const sleeping = yield* Effect.fork(sql`select pg_sleep(${0.5})`)
    const behind = yield* Effect.fork(
      Effect.all(
        numbers(5).map((value) => sql`select ${value}::int as value`),
        { concurrency: "unbounded" }
      )
    )
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(sleeping)
    expect(yield* Fiber.join(behind)).toEqual(numbers(5).map((value) => [{ value }]))
    expect(yield* sql`select ${7}::int as value`).toEqual([{ value: 7 }])
  })
)

it.scopedLive("transactions and statements share few connections, and each gets its turn", () =>
  Effect.gen(function* () {
    const sql = yield* open(2)
    yield* sql`create table counters (id int primary key, value int)`
    yield* sql`insert into counters values (1, 0)`
    const bump = sql`update counters set value = value + ${1}::int where id = ${1}`
    yield* Effect.all(
      numbers(100).map((index) => (index % 5 === 0 ? sql.withTransaction(Effect.zip(bump, bump)) : bump)),
      { concurrency: "unbounded" }
    )
    expect(yield* sql`select value from counters`).toEqual([{ value: 120 }])
    expect(
      yield* sql`select count(*) <= 2 as bounded from pg_stat_activity where datname = current_database()`
    ).toEqual([{ bounded: true }])
  })
)

it.scopedLive("a statement that waits in vain while others have results may succeed in seconds", () =>
  Effect.gen(function* () {
    const sql = yield* withTimes({ timeouts: { "db.connect": 1_000 } })(open(1))
    const taken = yield* Deferred.make<void>()
    const holder = yield* Effect.fork(
      sql.withTransaction(
        Effect.andThen(Deferred.succeed(taken, undefined), Effect.forever(sql`select ${1}::int as one`))
      )
    )
    yield* Deferred.await(taken)
    const cause = yield* Effect.flip(Effect.sandbox(orDie(sql`select ${1}::int as one`)))
    expect(isPassing(cause)).toBe(true)
    yield* Fiber.interrupt(holder)
  })
)

it.scopedLive("a statement that waits for a connection to a server that is lost fails with its refusal", () =>
  Effect.gen(function* () {
    const proxy = yield* proxied(yield* emptyDatabase)
    const sql = yield* openOn(proxy.url, 1)
    const taken = yield* Deferred.make<void>()
    const isWaiting = yield* Deferred.make<void>()
    const holder = yield* Effect.fork(
      Effect.exit(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* Deferred.succeed(taken, undefined)
            yield* Deferred.await(isWaiting)
            yield* sql`select ${1}::int as one`
            yield* proxy.refuse
            yield* sql`select ${1}::int as one`
          })
        )
      )
    )
    yield* Deferred.await(taken)
    const waiting = yield* Effect.fork(Effect.flip(Effect.sandbox(orDie(sql`select ${1}::int as one`))))
    yield* Effect.sleep(0)
    yield* Deferred.succeed(isWaiting, undefined)
    expect(isPassing(yield* Fiber.join(waiting))).toBe(false)
    yield* Fiber.join(holder)
  })
)

it.scopedLive("when all connections are in use, a waiting statement fails instead of waiting for ever", () =>
  Effect.gen(function* () {
    const sql = yield* withTimes({ timeouts: { "db.connect": 1_000 } })(open(1))
    const taken = yield* Deferred.make<void>()
    const holder = yield* Effect.fork(
      sql.withTransaction(Effect.andThen(Deferred.succeed(taken, undefined), Effect.never))
    )
    yield* Deferred.await(taken)
    const error = yield* Effect.flip(sql`select ${1}::int as one`)
    expect(error.cause).toMatchObject({ message: "No database connection became free in time" })
    yield* Fiber.interrupt(holder)
    expect(yield* sql`select ${1}::int as one`).toEqual([{ one: 1 }])
  })
)

it.scopedLive("the late end of an interrupted transaction reaches no other statement", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const sql = yield* openOn(url, 2)
    const elsewhere = yield* openOn(url, 2)
    yield* sql`create table books (id int primary key, title text)`
    yield* sql`insert into books values (1, 'Emma'), (2, 'Persuasion')`
    /** Locks a book until the test releases it. */
    const lock = (id: number) =>
      Effect.gen(function* () {
        const locked = yield* Deferred.make<void>()
        const free = yield* Deferred.make<void>()
        const hold = elsewhere`select from books where id = ${id} for update`.pipe(
          Effect.andThen(Deferred.succeed(locked, undefined)),
          Effect.andThen(Deferred.await(free))
        )
        const holder = yield* Effect.fork(elsewhere.withTransaction(hold))
        yield* Deferred.await(locked)
        return Effect.zipRight(Deferred.succeed(free, undefined), Fiber.join(holder))
      })
    const takes = (id: number, title: string) =>
      sql.withTransaction(sql`update books set title = ${title} where id = ${id} returning title`)
    /** The connection on which it waits. */
    const waits = (who: string) =>
      eventually(
        `${who} waits for a book`,
        Effect.map(waitingOn(url), (waiting) => waiting.length === 1 && waiting)
      )

    const letFirstGo = yield* lock(1)
    const letSecondGo = yield* lock(2)
    const interrupted = yield* Effect.fork(takes(1, "a"))
    const connection = yield* waits("the first")
    const free = yield* Deferred.make<void>()
    const taken = yield* Deferred.make<void>()
    const other = yield* Effect.fork(
      sql.withTransaction(Effect.zip(Deferred.succeed(taken, undefined), Deferred.await(free)))
    )
    yield* Deferred.await(taken)
    const stranger = yield* Effect.fork(takes(2, "c"))
    yield* Effect.yieldNow()
    // Both connections are taken, so the cancel request cannot be sent. Then the statement ends by itself.
    const interruption = yield* Effect.fork(Fiber.interrupt(interrupted))
    yield* Effect.yieldNow()
    yield* letFirstGo
    expect(Exit.isInterrupted(yield* Fiber.join(interruption))).toBe(true)
    // The cancel request was never sent, so the next caller can use the connection.
    expect(yield* waits("the stranger")).toEqual(connection)
    yield* Deferred.succeed(free, undefined)
    yield* Fiber.join(other)
    // Runs after any cancel request for the first statement.
    yield* sql`select ${1}::int as one`
    yield* letSecondGo
    expect(yield* Fiber.join(stranger)).toEqual([{ title: "c" }])
    expect(yield* sql`select title from books order by id`).toEqual([{ title: "Emma" }, { title: "c" }])
  })
)

it.scopedLive(
  "a connection gets nothing more once the server has said that it ends it, also before it is closed",
  () =>
    Effect.gen(function* () {
      const direct = yield* emptyDatabase
      const proxy = yield* proxied(direct)
      yield* proxy.concealEnds
      const sql = yield* openOn(proxy.url, 2)
      const sleeping =
        "select pid from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
      for (const statement of [sql`select pg_sleep(${60})`, sql`select pg_sleep(60)`]) {
        const running = yield* Effect.fork(Effect.flip(statement))
        yield* eventually(
          "the statement runs",
          Effect.map(execute(direct, sleeping), ({ length }) => length === 1)
        )
        yield* execute(direct, `select pg_terminate_backend(pid) from (${sleeping}) as found`)
        expect((yield* Fiber.join(running)).cause).toMatchObject({ code: "57P01" })
        expect(yield* sql`select ${1}::int as one`).toEqual([{ one: 1 }])
      }
    })
)

it.scopedLive("a connection that was idle for too long for the server gets nothing more", () =>
  Effect.gen(function* () {
    const direct = yield* emptyDatabase
    const proxy = yield* proxied(direct)
    const sql = yield* openOn(proxy.url, 1)
    yield* sql`select 1 as one`
    yield* proxy.concealEnds
    yield* proxy.hold
    const setting = yield* Effect.fork(sql`set idle_session_timeout = 1`)
    yield* eventually(
      "the server ends the connection",
      Effect.map(
        execute(
          direct,
          "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
        ),
        ({ length }) => length === 0
      )
    )
    const late = yield* Effect.fork(Effect.flip(sql`select ${1}::int as one`))
    yield* Effect.yieldNow()
    yield* proxy.release
    yield* Fiber.join(setting)
    expect((yield* Fiber.join(late)).cause).toMatchObject({ code: "57P05" })
    expect(yield* sql`select ${1}::int as one`).toEqual([{ one: 1 }])
  })
)

it.scopedLive("interrupting a statement that has already failed leaves the others queued", () =>
  Effect.gen(function* () {
    const pool = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new ConnectionPool({
            open: () =>
              new Connector(
                { urls: ["postgres://me@127.0.0.1:1/shop"], accepted: "any" },
                patientTiming,
                10_000
              ).open((connectionString) => new PipelinedClient({ connectionString }, () => {})),
            seeksLeader: false,
            isServerFixed: true,
            maxConnections: 1,
            timing: patientTiming,
            timeout: 10_000,
            answerTimeout: 10_000,
            onLost: () => {}
          })
      ),
      (made) => Effect.promise(() => made.close())
    )
    const refused = yield* Effect.async<ReadonlyArray<unknown>>((resume) => {
      const errors: Array<unknown> = []
      const abandons = numbers(3).map(() =>
        pool.execute({
          text: "select 1",
          values: [],
          shape: "object",
          isPrepared: true,
          settle: (error) => {
            if (errors.push(error) === 1) abandons[0]?.()
            if (errors.length === 3) resume(Effect.succeed(errors))
          }
        })
      )
    })
    expect(refused).toEqual(numbers(3).map(() => expect.objectContaining({ code: "ECONNREFUSED" })))
  })
)
