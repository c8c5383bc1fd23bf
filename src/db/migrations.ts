/**
 * Our own: the Migrator of `@effect/sql` accepts an edited or renamed file and a database newer than the
 * code, runs all files in one transaction, and waits for locks while other clients queue behind it.
 */
import { join } from "node:path"
import { Data, Effect, type Redacted } from "effect"
import { type Client, DatabaseError } from "pg"
import type { TimeoutName } from "../shared/times.ts"
import { Timing } from "../shared/timing.ts"
import { checkServer, connect, type DatabaseUnavailable, type UrlSetting, whenReady } from "./connection.ts"
import { applyNext, query } from "./migrations/apply.ts"
import { type Migration, MigrationError, readMigrations } from "./migrations/files.ts"
import { beginTurn } from "./migrations/turn.ts"
import { lackingRights } from "./rights.ts"

export { type Migration, MigrationError } from "./migrations/files.ts"

const defaultFolder = join(import.meta.dirname, "../../migrations")

export interface Migrator {
  /** Connects as the owner of the schema. */
  readonly url: Redacted.Redacted
  /** Where `url` comes from, for messages; `DATABASE_URL` by default. */
  readonly setting?: UrlSetting
  /** The service's role, if it is not the owner. It is granted the rights that the service needs. */
  readonly grantee?: string
}

interface Options extends Migrator {
  readonly folder?: string
  /** How long to wait for a server that is not ready, `db.ready` by default. */
  readonly timeout?: TimeoutName
}

const compare = ({ folder = defaultFolder, setting, timeout = "db.ready", url }: Options) =>
  Effect.gen(function* () {
    const migrations = yield* readMigrations(folder)
    // Outside the pool: a migration may take longer than its statement timeout.
    const client = yield* whenReady(
      url,
      timeout,
      Effect.tap(connect(url), (client) => checkServer(client, url, setting)),
      setting
    )
    return { client, migrations, missing: yield* pending(client, migrations) }
  })

/** What {@link migrate} would apply, or its refusal. Changes nothing. */
export const missingMigrations = (
  options: Options
): Effect.Effect<ReadonlyArray<Migration>, MigrationError | DatabaseUnavailable> =>
  Effect.map(compare(options), ({ missing }) => missing).pipe(Effect.scoped)

/**
 * Applies the files of `folder` (`0001_name.sql`, `0002_...`) that the database lacks, each in a transaction
 * together with its row in `schema_migrations`. Concurrent processes take turns, for each file anew. Returns what this call applied.
 *
 * Fails if a number is missing or duplicated, a name malformed, an applied file edited or removed, or the
 * database ahead of the code; if a statement fails; if a lock cannot be had within `db.migration_locks`. A failed
 * file leaves nothing behind; earlier files stay applied.
 *
 * @param before runs before the first file is applied; if it fails, none is
 */
export const migrate = <E = never>(
  options: Options,
  before: Effect.Effect<void, E> = Effect.void
): Effect.Effect<ReadonlyArray<Migration>, MigrationError | DatabaseUnavailable | E> =>
  Effect.gen(function* () {
    const { client, migrations, missing } = yield* compare(options)
    if (missing.length > 0) yield* before
    const applied = missing.length === 0 ? [] : yield* applyAll(client, migrations, options)
    // Always: an earlier process may have been killed between migrating and granting.
    if (options.grantee !== undefined) yield* grant(client, options.grantee)
    return applied
  }).pipe(Effect.scoped, Effect.withSpan("migrate"))

/** Another process may still apply them. */
class SchemaLacking extends Data.TaggedError("SchemaLacking")<{ readonly message: string }> {}

/**
 * Waits until another process has applied all migrations of `folder`. Fails if that takes longer than `db.schema`, and as
 * {@link migrate} does if the database has others. Changes nothing.
 *
 * @param because why this process applies none: the end of a sentence
 */
export const allApplied = (
  options: Options,
  because: string
): Effect.Effect<void, MigrationError | DatabaseUnavailable> =>
  Effect.gen(function* () {
    const { spaced, upTo } = yield* Timing
    const { client, migrations } = yield* compare(options)
    const check = Effect.flatMap(pending(client, migrations), ([first, ...others]) => {
      if (first === undefined) return Effect.void
      const more = others.length === 0 ? "" : ` and ${others.length} more`
      return Effect.fail(
        new SchemaLacking({
          message: `The database lacks the migration ${first.name}${more}; ${because}.`
        })
      )
    })
    yield* Effect.retry(check, {
      while: ({ _tag }) => _tag === "SchemaLacking",
      schedule: upTo("db.schema", spaced("db.schema"))
    })
  }).pipe(
    Effect.catchTag("SchemaLacking", ({ message }) => new MigrationError({ message })),
    Effect.scoped
  )

/** Applies what is still missing whenever it is this process's turn. */
const applyAll = (
  client: Client,
  migrations: ReadonlyArray<Migration>,
  { url }: Options
): Effect.Effect<ReadonlyArray<Migration>, MigrationError> => {
  const applied: Array<Migration> = []
  const missing = Effect.zipRight(
    query(
      client,
      `create table if not exists schema_migrations (
        version int primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`
    ),
    pending(client, migrations)
  )
  return Effect.iterate(true, {
    while: (isMissing) => isMissing,
    body: () =>
      Effect.map(applyNext(client, url, missing), (migration) => {
        if (migration !== undefined) applied.push(migration)
        return migration !== undefined
      })
  }).pipe(
    // Logs the earlier ones even if a later one fails.
    Effect.ensuring(Effect.suspend(() => logApplied(applied))),
    Effect.as(applied)
  )
}

/** Processes take turns, since one of two concurrent grants would fail. */
const grant = (client: Client, role: string): Effect.Effect<void, MigrationError> =>
  Effect.gen(function* () {
    const lacking = Effect.tryPromise({
      try: () => lackingRights(client, role),
      catch: (cause) => new MigrationError({ message: `The rights of ${role} cannot be read.`, cause })
    })
    if ((yield* lacking).length === 0) return
    yield* beginTurn(client)
    for (const statement of yield* lacking) yield* query(client, statement)
    yield* query(client, "commit")
  })

const logApplied = (applied: ReadonlyArray<Migration>): Effect.Effect<void> => {
  const [first] = applied
  if (first === undefined) return Effect.void
  return Effect.logInfo(
    applied.length === 1 ? `Applied migration ${first.name}` : `Applied ${applied.length} migrations`
  )
}

/** Fails unless the database's migrations are the first ones of the folder. */
const pending = (
  client: Client,
  migrations: ReadonlyArray<Migration>
): Effect.Effect<ReadonlyArray<Migration>, MigrationError> =>
  Effect.gen(function* () {
    const fail = (message: string) => new MigrationError({ message })
    const applied = yield* appliedMigrations(client)
    for (const [index, { version, name, checksum }] of applied.entries()) {
      const migration = migrations[index]
      if (migration === undefined) {
        return yield* fail(
          `The database is newer than this version of the code: it has migration ${name}, which the code does not have.`
        )
      }
      if (version !== migration.version || name !== migration.name) {
        return yield* fail(`The migration ${name} has been applied to the database, but its file is missing.`)
      }
      if (checksum !== migration.checksum) {
        return yield* fail(
          `The migration ${name} has been edited after it was applied; write a new one instead.`
        )
      }
    }
    return migrations.slice(applied.length)
  })

const undefinedTable = "42P01"

const appliedMigrations = (client: Client) =>
  Effect.tryPromise({
    try: () =>
      client.query<Omit<Migration, "text">>(
        "select version, name, checksum from schema_migrations order by version"
      ),
    catch: (cause) => cause
  }).pipe(
    Effect.map(({ rows }) => rows),
    Effect.catchAll((cause) =>
      cause instanceof DatabaseError && cause.code === undefinedTable
        ? Effect.succeed([])
        : new MigrationError({ message: "The table schema_migrations cannot be read.", cause })
    )
  )
