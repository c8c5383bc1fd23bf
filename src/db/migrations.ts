import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import { type Client, DatabaseError } from "pg"
import { checkServer, connect, type DatabaseUnavailable, whenReady } from "./connection.ts"
import { lackingRights } from "./rights.ts"

/**
 * The database's schema cannot be brought to what this version of the code needs. The message is one
 * sentence.
 */
export class MigrationError extends Data.TaggedError("MigrationError")<{
  readonly message: string
  readonly cause?: unknown
}> {}

/** One file of the migrations folder. */
export interface Migration {
  readonly version: number
  /** The file's name, `0001_accounts.sql`. */
  readonly name: string
  /** SHA-256 of the text with LF line ends, in hex, so that a checkout with CRLF is the same migration. */
  readonly checksum: string
  readonly text: string
}

type Applied = Pick<Migration, "version" | "name" | "checksum">

const defaultFolder = join(import.meta.dirname, "../../migrations")

/** Any constant that no other advisory lock of this service uses. */
const advisoryLock = 4_702_111_234

/**
 * Each so many tries, a migration waits for its locks for longer: Postgres ends an autovacuum that is in the way once it has
 * been waited for as long as `deadlock_timeout`, a second.
 */
const longEvery = 10

const isLong = (number: number): boolean => number % longEvery === 0

/** How long a try waits for each lock, and whoever comes behind it: no longer than a service hardly notices, as a rule. */
const lockTimeoutOf = (number: number): string => (isLong(number) ? "1500ms" : "200ms")

/** Between two tries: whoever waited behind the migration gets their turn. */
const pause = "1 second"

const fail = (message: string, cause?: unknown) => Effect.fail(new MigrationError({ message, cause }))

/** Who applies migrations. */
export interface Migrator {
  /** As the owner of the schema. */
  readonly url: Redacted.Redacted
  /** The role that is to serve, where it is not the owner: it gets the rights that the service needs. */
  readonly grantee?: string
}

interface Options extends Migrator {
  /** Default: `migrations/` of this project. A missing folder counts as an empty one. */
  readonly folder?: string
  /** How long a server that is not ready yet is waited for, 15 s by default. */
  readonly patience?: Duration.DurationInput
  /** For how long a migration that does not get its locks is tried again, 2 minutes by default. */
  readonly lockPatience?: Duration.DurationInput
}

/** What there is to be applied, and the connection on which that was found out. */
const compare = ({ folder = defaultFolder, patience = "15 seconds", url }: Options) =>
  Effect.gen(function* () {
    const migrations = yield* readMigrations(folder)
    // A connection of its own: a migration may take longer than the pool lets a statement take.
    const client = yield* whenReady(
      url,
      patience,
      Effect.tap(connect(url), (client) => checkServer(client, url))
    )
    return { client, migrations, missing: yield* pending(client, migrations) }
  })

/** The migrations that the database lacks, in order; changes nothing. Fails as {@link migrate} does before it applies any. */
export const missingMigrations = (
  options: Options
): Effect.Effect<ReadonlyArray<Migration>, MigrationError | DatabaseUnavailable> =>
  Effect.map(compare(options), ({ missing }) => missing).pipe(Effect.scoped)

/**
 * Applies the files of `folder` (`0001_name.sql`, `0002_...`) that the database has not seen, in order, each
 * in a transaction of its own together with its row in `schema_migrations`. Processes that start at once take
 * turns. Gives what this call applied.
 *
 * One that waits for a lock has others wait behind it, readers too. So it waits for a moment only, is then rolled back, and
 * tried again later; as is one that is rolled back for a deadlock.
 *
 * Fails when a number is missing, doubled or a name malformed; when an applied file was edited or removed;
 * when the database is ahead of the code; when a statement fails; when somebody keeps a lock for longer than
 * `lockPatience`. A failing file leaves nothing behind; the files before it stay.
 */
export const migrate = (
  options: Options
): Effect.Effect<ReadonlyArray<Migration>, MigrationError | DatabaseUnavailable> =>
  Effect.gen(function* () {
    const { client, migrations, missing } = yield* compare(options)
    const applied = missing.length === 0 ? [] : yield* applyAll(client, migrations, options)
    // Also where nothing was missing: a process may have been killed between the two.
    if (options.grantee !== undefined) yield* grant(client, options.grantee)
    return applied
  }).pipe(Effect.scoped, Effect.withSpan("migrate"))

/** Applies what is missing once it is this process's turn. */
const applyAll = (
  client: Client,
  migrations: ReadonlyArray<Migration>,
  options: Options
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
      Effect.map(apply(client, migration, options), () => void applied.push(migration))
    ).pipe(
      // Also of those before one that fails, which stay.
      Effect.ensuring(Effect.suspend(() => logApplied(applied)))
    )
    return applied
  })

/** Held until the connection closes, even when this process is killed. */
const takeTurn = (client: Client): Effect.Effect<void, MigrationError> =>
  query(client, "select pg_advisory_lock($1)", [advisoryLock])

/** Gives the role what it lacks, once it is this process's turn: of two that grant at once, one would fail. */
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

/** One line, however many they are. */
const logApplied = (applied: ReadonlyArray<Migration>): Effect.Effect<void> => {
  const [first] = applied
  if (first === undefined) return Effect.void
  return Effect.logInfo(
    applied.length === 1 ? `Applied migration ${first.name}` : `Applied ${applied.length} migrations`
  )
}

/** The files of a folder, in order. Names that begin with a dot are not ours to judge. */
const readMigrations = (folder: string): Effect.Effect<ReadonlyArray<Migration>, MigrationError> =>
  Effect.gen(function* () {
    const names = yield* Effect.tryPromise({
      try: async () => (await readdir(folder)).filter((name) => !name.startsWith(".")).sort(),
      catch: (cause) => cause
    }).pipe(
      Effect.catchAll((cause) =>
        cause instanceof Error && "code" in cause && cause.code === "ENOENT"
          ? Effect.succeed([])
          : fail(`The migrations in ${folder} cannot be read.`, cause)
      )
    )
    return yield* Effect.forEach(names, (name, index) => readMigration(folder, name, index + 1))
  })

const readMigration = (
  folder: string,
  name: string,
  expected: number
): Effect.Effect<Migration, MigrationError> =>
  Effect.gen(function* () {
    const digits = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]
    if (digits === undefined) {
      return yield* fail(`The migration ${name} must be named like 0001_name.sql, in lower case.`)
    }
    const version = Number(digits)
    if (version < expected) return yield* fail(`The migration ${name} has a number that is already taken.`)
    if (version > expected) {
      return yield* fail(`The migration before ${name} is missing: expected number ${digitsOf(expected)}.`)
    }
    const raw = yield* Effect.tryPromise({
      try: () => readFile(join(folder, name), "utf8"),
      catch: (cause) => new MigrationError({ message: `The migration ${name} cannot be read.`, cause })
    })
    const text = raw.replaceAll("\r\n", "\n")
    return { version, name, checksum: createHash("sha256").update(text).digest("hex"), text }
  })

const digitsOf = (version: number) => String(version).padStart(4, "0")

/** The migrations still to be applied, once what the database has is a beginning of what the folder has. */
const pending = (
  client: Client,
  migrations: ReadonlyArray<Migration>
): Effect.Effect<ReadonlyArray<Migration>, MigrationError> =>
  Effect.gen(function* () {
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

const appliedMigrations = (client: Client): Effect.Effect<ReadonlyArray<Applied>, MigrationError> =>
  Effect.tryPromise({
    try: () =>
      client.query<Applied>("select version, name, checksum from schema_migrations order by version"),
    catch: (cause) => cause
  }).pipe(
    Effect.map((result) => result.rows),
    Effect.catchAll((cause) =>
      cause instanceof DatabaseError && cause.code === undefinedTable
        ? Effect.succeed([])
        : fail("The table schema_migrations cannot be read.", cause)
    )
  )

/** SQLSTATEs deadlock_detected and lock_not_available. */
const heldUp = new Set(["40P01", "55P03"])

/** SQLSTATEs no_active_sql_transaction and invalid_savepoint_specification. */
const elsewhere = new Set(["25P01", "3B001"])

const hasCode =
  (codes: ReadonlySet<string>) =>
  ({ cause }: MigrationError): boolean =>
    cause instanceof DatabaseError && cause.code !== undefined && codes.has(cause.code)

const isHeldUp = hasCode(heldUp)

const apply = (
  client: Client,
  migration: Migration,
  { lockPatience = "2 minutes", url }: Options
): Effect.Effect<void, MigrationError> =>
  Effect.gen(function* () {
    const inTheWay = yield* Ref.make<string | null>(null)
    yield* Effect.forkScoped(watch(url, client, inTheWay))
    const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(lockPatience)
    for (let number = 1; ; number++) {
      yield* Ref.set(inTheWay, null)
      const tried = yield* Effect.either(attempt(client, migration, lockTimeoutOf(number)))
      if (Either.isRight(tried)) break
      const error = tried.left
      if (!isHeldUp(error)) return yield* error
      const names = yield* inTheWay
      const who = names === null ? "" : `; in the way: ${names}`
      const message = `The migration ${migration.name} did not get its locks${detail(error.cause, migration.text)}${who}.`
      if ((yield* Clock.currentTimeMillis) >= until) return yield* fail(message, error.cause)
      if (number === 1 || isLong(number)) {
        yield* Effect.logWarning(`${message} It is tried for ${Duration.format(lockPatience)} at most.`)
      }
      yield* Effect.sleep(pause)
    }
    yield* Effect.logDebug(`Applied migration ${migration.name}`)
  }).pipe(Effect.scoped)

/**
 * Notes who keeps a connection waiting, by name and process, as long as it goes on; often enough for the shortest try.
 * Where it cannot be found out, the migration goes on all the same and names nobody.
 */
const watch = (
  url: Redacted.Redacted,
  waiting: Client,
  inTheWay: Ref.Ref<string | null>
): Effect.Effect<void> =>
  Effect.flatMap(connect(url), (client) =>
    Effect.tryPromise(() =>
      client.query<{ names: string | null }>(
        `select string_agg(distinct format('%s (process %s)',
            coalesce(nullif(application_name, ''), usename, 'a prepared transaction'), blocking), ', ') as names
          from unnest(pg_blocking_pids($1)) blocking left join pg_stat_activity on pid = blocking`,
        ["processID" in waiting ? waiting.processID : undefined]
      )
    ).pipe(
      Effect.tap(({ rows: [row] }) => Ref.update(inTheWay, (known) => row?.names ?? known)),
      Effect.repeat(Schedule.spaced("50 millis"))
    )
  ).pipe(Effect.scoped, Effect.delay("100 millis"), Effect.ignore)

const attempt = (
  client: Client,
  { version, name, checksum, text }: Migration,
  lockTimeout: string
): Effect.Effect<void, MigrationError> =>
  Effect.gen(function* () {
    const endsTransaction = fail(
      `The migration ${name} ends the transaction it runs in; remove its begin, commit or rollback.`
    )
    yield* query(client, "begin")
    yield* query(client, `set local lock_timeout = '${lockTimeout}'`)
    yield* query(client, "savepoint migration")
    yield* Effect.tryPromise({
      try: () => client.query(text),
      catch: (cause) =>
        new MigrationError({ message: `The migration ${name} failed${detail(cause, text)}.`, cause })
    }).pipe(
      // Only what is rolled back whole may be tried again. What the client knows of the transaction is from before the error.
      Effect.tapError((error) =>
        isHeldUp(error)
          ? Effect.catchIf(
              query(client, "rollback to savepoint migration"),
              hasCode(elsewhere),
              () => endsTransaction
            )
          : Effect.void
      )
    )
    if (client.getTransactionStatus() !== "T") return yield* endsTransaction
    const row = [version, name, checksum]
    yield* query(client, "insert into schema_migrations (version, name, checksum) values ($1, $2, $3)", row)
    yield* query(client, "commit")
  }).pipe(Effect.onError(() => Effect.ignore(query(client, "rollback"))))

const detail = (cause: unknown, text: string): string => {
  if (!(cause instanceof DatabaseError)) return ""
  const line =
    cause.position === undefined ? undefined : text.slice(0, Number(cause.position)).split("\n").length
  return line === undefined ? `: ${cause.message}` : ` at line ${line}: ${cause.message}`
}

const query = (
  client: Client,
  text: string,
  values: ReadonlyArray<unknown> = []
): Effect.Effect<void, MigrationError> =>
  Effect.tryPromise({
    try: () => client.query(text, [...values]),
    catch: (cause) =>
      new MigrationError({ message: `The migrations could not be applied${detail(cause, text)}.`, cause })
  })
