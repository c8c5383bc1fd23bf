/**
 * Our own migrations. When tested, the Migrator of `@effect/sql` stored no checksums (it accepted an edited file, a renamed file, and a
 * database newer than the code), ran all files in one transaction, and waited for locks while other clients queued behind it.
 */
import { join } from "node:path"
import { type Duration, Effect, type Redacted } from "effect"
import { type Client, DatabaseError } from "pg"
import { checkServer, connect, type DatabaseUnavailable, whenReady } from "./connection.ts"
import { apply, query } from "./migrations/apply.ts"
import { type Migration, MigrationError, readMigrations } from "./migrations/files.ts"
import { lackingRights } from "./rights.ts"

export { type Migration, MigrationError } from "./migrations/files.ts"

const defaultFolder = join(import.meta.dirname, "../../migrations")

/** An arbitrary constant that no other advisory lock of this service uses. */
const advisoryLock = 4_702_111_234

export interface Migrator {
  /** Connects as the owner of the schema. */
  readonly url: Redacted.Redacted
  /** The role of the service, if it is not the owner. It gets the rights that the service needs. */
  readonly grantee?: string
}

interface Options extends Migrator {
  /** Default: this project's `migrations/`. */
  readonly folder?: string
  /** How long to wait for a server that is not ready, 15 s by default. */
  readonly patience?: Duration.DurationInput
  /** How long to retry a migration that does not get its locks, 2 minutes by default. */
  readonly lockPatience?: Duration.DurationInput
}

/** The migrations to apply, and the connection that found them. */
const compare = ({ folder = defaultFolder, patience = "15 seconds", url }: Options) =>
  Effect.gen(function* () {
    const migrations = yield* readMigrations(folder)
    // A dedicated connection: a migration may take longer than the pool's statement timeout.
    const client = yield* whenReady(
      url,
      patience,
      Effect.tap(connect(url), (client) => checkServer(client, url))
    )
    return { client, migrations, missing: yield* pending(client, migrations) }
  })

/**
 * The migrations that the database lacks, in order. Changes nothing. Fails in the cases in which {@link migrate} fails before it applies
 * anything.
 */
export const missingMigrations = (
  options: Options
): Effect.Effect<ReadonlyArray<Migration>, MigrationError | DatabaseUnavailable> =>
  Effect.map(compare(options), ({ missing }) => missing).pipe(Effect.scoped)

/**
 * Applies the files of `folder` (`0001_name.sql`, `0002_...`) that the database lacks, in order, each in a transaction of its own together
 * with its row in `schema_migrations`. Concurrent processes take turns. Returns what this call applied.
 *
 * Fails if a number is missing or duplicated, or a name malformed; if an applied file was edited or removed; if the database is ahead of
 * the code; if a statement fails; if somebody holds a lock for longer than `lockPatience`. A failed file leaves nothing behind; earlier
 * files stay applied.
 */
export const migrate = (
  options: Options
): Effect.Effect<ReadonlyArray<Migration>, MigrationError | DatabaseUnavailable> =>
  Effect.gen(function* () {
    const { client, migrations, missing } = yield* compare(options)
    const applied = missing.length === 0 ? [] : yield* applyAll(client, migrations, options)
    // Even if no migration was missing: an earlier process may have been killed between migrating and granting.
    if (options.grantee !== undefined) yield* grant(client, options.grantee)
    return applied
  }).pipe(Effect.scoped, Effect.withSpan("migrate"))

/** Applies the missing migrations once it is this process's turn. */
const applyAll = (
  client: Client,
  migrations: ReadonlyArray<Migration>,
  { lockPatience = "2 minutes", url }: Options
): Effect.Effect<ReadonlyArray<Migration>, MigrationError> =>
  Effect.gen(function* () {
    yield* takeTurn(client)
    yield* query(
      client,
      `create table if not exists schema_migrations (
        version int primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`
    )
    const applied: Array<Migration> = []
    yield* Effect.forEach(yield* pending(client, migrations), (migration) =>
      Effect.map(apply(client, url, migration, lockPatience), () => void applied.push(migration))
    ).pipe(
      // If one fails, the earlier ones stay applied and are logged too.
      Effect.ensuring(Effect.suspend(() => logApplied(applied)))
    )
    return applied
  })

/** The lock lasts until the connection closes, even if this process is killed. */
const takeTurn = (client: Client): Effect.Effect<void, MigrationError> =>
  query(client, "select pg_advisory_lock($1)", [advisoryLock])

/** Grants the role the rights that it lacks. Processes take turns, since one of two concurrent grants would fail. */
const grant = (client: Client, role: string): Effect.Effect<void, MigrationError> =>
  Effect.gen(function* () {
    const lacking = Effect.tryPromise({
      try: () => lackingRights(client, role),
      catch: (cause) => new MigrationError({ message: `The rights of ${role} cannot be read.`, cause })
    })
    if ((yield* lacking).length === 0) return
    yield* takeTurn(client)
    // One message is one transaction.
    yield* query(client, (yield* lacking).join(";\n"))
  })

/** A single line, however many were applied. */
const logApplied = (applied: ReadonlyArray<Migration>): Effect.Effect<void> => {
  const [first] = applied
  if (first === undefined) return Effect.void
  return Effect.logInfo(
    applied.length === 1 ? `Applied migration ${first.name}` : `Applied ${applied.length} migrations`
  )
}

/** The migrations still to apply. Fails unless the database's migrations are the first ones of the folder. */
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
          `The database is newer than this version of the code: it has migration ${name}, which the code has not.`
        )
      }
      if (version !== migration.version || name !== migration.name) {
        return yield* fail(`The migration ${name} has been applied to the database, but its file is gone.`)
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
