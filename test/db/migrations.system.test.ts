import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Logger, Redacted } from "effect"
import { connect } from "../../src/db/connection.ts"
import { type Migration, MigrationError, migrate } from "../../src/db/migrations.ts"
import { wireTap } from "../support/database/wire-tap.ts"
import { emptyDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { hurriedClock, stoppedClock } from "../support/stopped-clock.ts"
import { withTimes } from "../support/timing.ts"

const first = { "0001_shelves.sql": "create table shelves (id int primary key);\n" }
const second = {
  "0002_books.sql": "create table books (id int primary key);\ninsert into books values (1);\n"
}

/** A folder with these files. */
const folderOf = (files: Record<string, string>) =>
  Effect.tap(temporaryFolder, (folder) =>
    Effect.promise(async () => {
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    })
  )

const names = (applied: ReadonlyArray<Migration>) => applied.map(({ name }) => name)

const migrateFiles = (url: Redacted.Redacted, files: Record<string, string>) =>
  Effect.flatMap(folderOf(files), (folder) => Effect.map(migrate({ url, folder }), names))

const refusal = (url: Redacted.Redacted, files: Record<string, string>) =>
  Effect.map(Effect.flip(migrateFiles(url, files)), (error) => {
    expect(error).toBeInstanceOf(MigrationError)
    return error.message
  })

it.scopedLive("applies new migrations, once, in order", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    expect(yield* migrateFiles(url, {})).toEqual([])
    expect(yield* migrateFiles(url, first)).toEqual(["0001_shelves.sql"])
    expect(yield* migrateFiles(url, { ...first, ...second })).toEqual(["0002_books.sql"])
    expect(yield* migrateFiles(url, { ...first, ...second })).toEqual([])
    expect(
      yield* execute(url, "select version, name, length(checksum) as length from schema_migrations")
    ).toEqual([
      { version: 1, name: "0001_shelves.sql", length: 64 },
      { version: 2, name: "0002_books.sql", length: 64 }
    ])
  })
)

it.scopedLive("runs in one of several processes that start at once", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const folder = yield* folderOf({ ...first, ...second })
    const applied = yield* Effect.all(
      Array.from({ length: 8 }, () => migrate({ url, folder })),
      { concurrency: "unbounded" }
    )
    // The first may apply one file, and the next process the other.
    expect(applied.flatMap(names).sort()).toEqual(["0001_shelves.sql", "0002_books.sql"])
    expect(yield* execute(url, "select id from books")).toEqual([{ id: 1 }])
  })
)

it.scopedLive("treats a file with CRLF line ends as the same file", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    yield* migrateFiles(url, second1)
    const crlf = Object.fromEntries(
      Object.entries(second1).map(([name, text]) => [name, text.replaceAll("\n", "\r\n")])
    )
    expect(yield* migrateFiles(url, crlf)).toEqual([])
  })
)

const second1 = { "0001_books.sql": second["0002_books.sql"] }

it.scopedLive.each([
  [
    "a gap",
    { ...first, "0003_c.sql": "" },
    "The migration before 0003_c.sql is missing: expected number 0002."
  ],
  ["a missing first", second, "The migration before 0002_books.sql is missing: expected number 0001."],
  [
    "a number twice",
    { ...first, "0001_z.sql": "" },
    "The migration 0001_z.sql has a number that is already taken."
  ],
  ["a bad name", { "1_a.sql": "" }, "The migration 1_a.sql must be named like 0001_name.sql, in lower case."],
  [
    "a file that is no SQL",
    { "README.md": "" },
    "The migration README.md must be named like 0001_name.sql, in lower case."
  ]
] as const)("refuses %s", ([_, files, message]) =>
  Effect.gen(function* () {
    expect(yield* refusal(yield* emptyDatabase, files)).toBe(message)
  })
)

it.scopedLive("refuses an edited, a renamed and a removed file", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    yield* migrateFiles(url, { ...first, ...second })
    expect(yield* refusal(url, { ...first, "0002_books.sql": "select 1" })).toBe(
      "The migration 0002_books.sql has been edited after it was applied; write a new one instead."
    )
    expect(yield* refusal(url, { ...first, "0002_films.sql": second["0002_books.sql"] })).toBe(
      "The migration 0002_books.sql has been applied to the database, but its file is missing."
    )
    expect(yield* refusal(url, first)).toBe(
      "The database is newer than this version of the code: it has migration 0002_books.sql, which the code does not have."
    )
  })
)

it.scopedLive("rolls back a file that fails, and resumes with it once it is fixed", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const broken = { "0002_books.sql": "create table books (id int);\n\ninsert into boks values (1);\n" }
    expect(yield* refusal(url, { ...first, ...broken })).toBe(
      'The migration 0002_books.sql failed at line 3: relation "boks" does not exist.'
    )
    expect(
      yield* execute(
        url,
        "select to_regclass('books') as books, max(version) as version from schema_migrations"
      )
    ).toEqual([{ books: null, version: 1 }])
    expect(yield* migrateFiles(url, { ...first, ...second })).toEqual(["0002_books.sql"])
  })
)

it.scopedLive("names what of the operator's own needs what a file drops", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    yield* migrateFiles(url, first)
    yield* execute(url, "create view ours as select * from shelves")
    yield* execute(url, "create view theirs as select * from shelves")
    expect(yield* refusal(url, { ...first, "0002_drop.sql": "drop table shelves;\n" })).toBe(
      "The migration 0002_drop.sql failed: cannot drop table shelves because other objects depend on it (view ours depends on table shelves; view theirs depends on table shelves)."
    )
  })
)

it.scopedLive("refuses a file that ends its transaction", () =>
  Effect.gen(function* () {
    expect(yield* refusal(yield* emptyDatabase, { "0001_a.sql": "select 1; commit;" })).toBe(
      "The migration 0001_a.sql ends the transaction it runs in; remove its begin, commit or rollback."
    )
  })
)

/** A connection with an open transaction. */
const begun = (url: Redacted.Redacted, name: string) =>
  Effect.gen(function* () {
    const client = yield* connect(url)
    const run = (text: string) => Effect.promise(() => client.query(text))
    // The migration must be the one to detect the deadlock.
    yield* run(`set application_name = '${name}'; set deadlock_timeout = '1min'; begin`)
    return run
  })

const waits = (url: Redacted.Redacted, text: string) =>
  eventually(
    `${text} waits`,
    Effect.map(
      execute(
        url,
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query = $1",
        [text]
      ),
      ({ length }) => length === 1
    )
  )

const books =
  "create table books (id int primary key, title text);\ncreate index books_title on books (title);\n"
const dropping = "drop index books_title;"

it.scopedLive("waits for readers of a table without blocking other statements", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    yield* migrateFiles(url, { "0001_books.sql": books })
    const reader = yield* begun(url, "pg_dump")
    yield* reader("select from books")
    const tap = yield* wireTap(url)
    const migrating = yield* Effect.fork(
      migrateFiles(tap.url, { "0001_books.sql": books, "0002_drop.sql": dropping })
    )
    const tries = () => tap.statements().filter(({ text }) => text === dropping).length

    // Other clients read the table all the time.
    let answers = 0
    const clients = yield* Effect.all(Array.from({ length: 20 }, () => connect(url)))
    const others = yield* Effect.forEach(clients, (client) =>
      Effect.promise(() => client.query("select from books")).pipe(
        Effect.map(() => answers++),
        Effect.forever,
        Effect.fork
      )
    )
    for (const title of ["Emma", "Persuasion"]) {
      yield* waits(url, dropping)
      // The reader waits behind the migration, but only until the migration gives up its attempt.
      yield* eventually(
        "another waits",
        Effect.map(
          execute(
            url,
            "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query = 'select from books'"
          ),
          ({ length }) => length > 0
        )
      )
      const before = answers
      yield* execute(url, "insert into books select count(*), $1 from books", [title])
      yield* eventually("all others go on", () => answers >= before + 2 * clients.length)
    }
    expect(tries()).toBeGreaterThanOrEqual(2)
    expect(yield* Fiber.poll(migrating)).toMatchObject({ _tag: "None" })
    yield* Fiber.interruptAll(others)
    yield* reader("commit")
    expect(yield* Fiber.join(migrating)).toEqual(["0002_drop.sql"])
    // Each attempt waited a fifth of a second for its locks; every tenth waited longer.
    const timeouts = tap.statements().filter(({ text }) => /lock_timeout/.test(text))
    expect(timeouts.map(({ text }) => text)).toEqual(
      Array.from(
        { length: tries() },
        (_, index) => `set local lock_timeout = '${(index + 1) % 10 === 0 ? 1_500 : 200}ms'`
      )
    )
    expect(yield* execute(url, "select title, to_regclass('books_title') as index from books")).toEqual([
      { title: "Emma", index: null },
      { title: "Persuasion", index: null }
    ])
  })
)

it.scopedLive("gives way in a deadlock", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const tables = { "0001_tables.sql": "create table a (id int); create table b (id int);" }
    yield* migrateFiles(url, tables)
    const other = yield* begun(url, "other")
    yield* other("insert into b values (1)")
    // Takes the second table once the other connection waits for the first, or is closed.
    const locking = `lock table a;
        do $$ begin
          while exists (select from pg_locks where relation = 'b'::regclass)
            and not exists (select from pg_locks where relation = 'a'::regclass and not granted)
          loop
            perform pg_sleep(0.01);
          end loop;
        end $$;
        lock table b;
        insert into a values (2);`
    // So that Postgres finds the deadlock before the attempt is over, and makes the migration give way.
    const watchful = Redacted.make(`${Redacted.value(url)}?options=-c%20deadlock_timeout%3D10ms`)
    const migrating = yield* Effect.fork(migrateFiles(watchful, { ...tables, "0002_lock.sql": locking }))
    yield* eventually(
      "the migration has the first table",
      Effect.map(
        execute(url, "select from pg_locks where relation = 'a'::regclass and mode = 'AccessExclusiveLock'"),
        ({ length }) => length === 1
      )
    )
    yield* other("insert into a values (1)")
    yield* other("commit")
    expect(yield* Fiber.join(migrating)).toEqual(["0002_lock.sql"])
    expect(yield* execute(url, "select id from a order by id")).toEqual([{ id: 1 }, { id: 2 }])
  })
)

it.scopedLive("gives up after a while, and names the process that blocks it", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const files = { "0001_books.sql": books, "0002_drop.sql": dropping }
    yield* migrateFiles(url, { "0001_books.sql": books })
    const reader = yield* begun(url, "pg_dump")
    const [process] = (yield* reader("select pg_backend_pid() as id, (select count(*) from books)")).rows
    const folder = yield* folderOf(files)
    const logged: Array<unknown> = []
    const { clock, pass } = stoppedClock()
    // The time is over at the second warning, after ten attempts.
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => {
        if (logged.push(message) === 2) Effect.runSync(pass(1_000))
      })
    )
    const error = yield* Effect.flip(migrate({ url, folder })).pipe(
      withTimes({ timeouts: { "db.migration_locks": 1_000 } }),
      Effect.provide(logger),
      // Pauses between attempts are short, and looks at who is in the way many in each.
      Effect.withClock({ ...clock, sleep: hurriedClock().sleep })
    )
    expect(error.message).toBe(
      `The migration 0002_drop.sql did not get its locks: canceling statement due to lock timeout; in the way: pg_dump (process ${process.id}).`
    )
    // None follows the last attempt, so it announces none.
    const warning = expect.stringMatching(
      /^The migration 0002_drop.sql did not get its locks: .* It is tried for 1s at most\.$/
    )
    expect(logged).toEqual([[warning], [warning]])
  })
)
