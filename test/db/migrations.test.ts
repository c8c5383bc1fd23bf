import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, type Redacted } from "effect"
import { connect } from "../../src/db/connection.ts"
import { type Migration, MigrationError, migrate } from "../../src/db/migrations.ts"
import { wireTap } from "../support/database/wire-tap.ts"
import { emptyDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"

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

const shelved = {
  "0001_books.sql": "create table books (id int, shelf int);\ninsert into books values (1, 1), (1, 2);\n"
}
const byStatement = {
  ...shelved,
  "0002_index.sql":
    "-- doorlock: each statement by itself\ncreate index concurrently if not exists books_id on books (id);\ndrop table if exists films;\n"
}

it.scopedLive(
  "applies a file statement by statement outside a transaction, once, also by several processes",
  () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      const folder = yield* folderOf(byStatement)
      const applied = yield* Effect.all(
        Array.from({ length: 4 }, () => migrate({ url, folder })),
        { concurrency: "unbounded" }
      )
      expect(applied.flatMap(names).sort()).toEqual(["0001_books.sql", "0002_index.sql"])
      expect(
        yield* execute(
          url,
          "select indexrelid::regclass::text as name, indisvalid from pg_index where indrelid = 'books'::regclass"
        )
      ).toEqual([{ name: "books_id", indisvalid: true }])
    })
)

it.scopedLive("creates an index again that was left half made", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    yield* migrateFiles(url, shelved)
    // It fails, because an id is there twice, and leaves the index.
    yield* Effect.flip(execute(url, "create unique index concurrently books_id on books (id)"))
    const state = execute(
      url,
      "select indisvalid, indisunique from pg_index where indrelid = 'books'::regclass"
    )
    expect(yield* state).toEqual([{ indisvalid: false, indisunique: true }])
    expect(yield* migrateFiles(url, byStatement)).toEqual(["0002_index.sql"])
    expect(yield* state).toEqual([{ indisvalid: true, indisunique: false }])
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
      yield* eventually(
        "all others go on",
        Effect.sync(() => answers >= before + 2 * clients.length)
      )
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
