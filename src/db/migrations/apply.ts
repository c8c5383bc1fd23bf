import { Clock, Data, Duration, Effect, Either, type Redacted } from "effect"
import { type Client, DatabaseError } from "pg"
import { Timing } from "../../shared/timing.ts"
import { connect } from "../connection.ts"
import { type Migration, MigrationError } from "./files.ts"
import { beginTurn } from "./turn.ts"

/** Every tenth try outlasts `deadlock_timeout` (1 s), when Postgres cancels a blocking autovacuum. */
const longEvery = 10

const isLong = (number: number): boolean => number % longEvery === 0

/** How long a try waits for each lock, with other clients queued behind it: usually unnoticeable. */
const lockTimeoutOf = (number: number): string => (isLong(number) ? "1500ms" : "200ms")

/** SQLSTATEs deadlock_detected and lock_not_available. */
const heldUp = ["40P01", "55P03"]

/** SQLSTATEs no_active_sql_transaction and invalid_savepoint_specification. */
const transactionEnded = ["25P01", "3B001"]

const hasCode =
  (codes: ReadonlyArray<string>) =>
  ({ cause }: MigrationError): boolean =>
    cause instanceof DatabaseError && codes.includes(cause.code ?? "")

const isHeldUp = hasCode(heldUp)

/** SQLSTATE dependent_objects_still_exist. Its detail says which they are; that of other errors may contain data. */
const stillNeeded = "2BP01"

/** Postgres' message, with the line number in the text, or with what of the operator's own is in the way. */
const detail = (cause: unknown, text: string): string => {
  if (!(cause instanceof DatabaseError)) return ""
  if (cause.position === undefined) {
    const dependents = cause.code === stillNeeded ? (cause.detail ?? "").split("\n").join("; ") : ""
    return `: ${cause.message}${dependents === "" ? "" : ` (${dependents})`}`
  }
  const line = text.slice(0, Number(cause.position)).split("\n").length
  return ` at line ${line}: ${cause.message}`
}

/** `what` begins the sentence of the error. */
export const query = (
  client: Client,
  text: string,
  values: ReadonlyArray<unknown> = [],
  what = "The migrations could not be applied"
): Effect.Effect<void, MigrationError> =>
  Effect.tryPromise({
    try: () => client.query(text, [...values]),
    catch: (cause) => new MigrationError({ message: `${what}${detail(cause, text)}.`, cause })
  })

/** What tries share: who blocks, and which server process is blocked. */
interface Watched {
  blockers: string | null
  process: number | undefined
}

/** A migration did not get its locks. */
class HeldUp extends Data.TaggedError("HeldUp")<{
  readonly migration: Migration
  readonly cause: MigrationError
}> {}

/**
 * Applies the first missing migration in one transaction, with its row in `schema_migrations`; undefined if none is
 * missing any more. While it waits for a lock, other clients queue behind it, so each try is short, until
 * `db.migration_locks` is over.
 *
 * @param missing runs in the transaction, when no other process is migrating
 */
export const applyNext = (
  client: Client,
  url: Redacted.Redacted,
  missing: Effect.Effect<ReadonlyArray<Migration>, MigrationError>
): Effect.Effect<Migration | undefined, MigrationError> =>
  Effect.gen(function* () {
    const { sleep, timeout } = yield* Timing
    const lockTimeout = timeout("db.migration_locks")
    const watched: Watched = { blockers: null, process: undefined }
    yield* Effect.forkScoped(watchBlockers(url, watched))
    const until = (yield* Clock.currentTimeMillis) + lockTimeout
    for (let number = 1; ; number++) {
      watched.blockers = null
      const tried = yield* Effect.either(attempt(client, watched, missing, lockTimeoutOf(number)))
      if (Either.isRight(tried)) {
        if (tried.right !== undefined) yield* Effect.logDebug(`Applied migration ${tried.right.name}`)
        return tried.right
      }
      if (tried.left._tag === "MigrationError") return yield* tried.left
      const { cause, migration } = tried.left
      const who = watched.blockers === null ? "" : `; in the way: ${watched.blockers}`
      const message = `The migration ${migration.name} did not get its locks${detail(cause.cause, migration.text)}${who}.`
      if ((yield* Clock.currentTimeMillis) >= until) {
        return yield* new MigrationError({ message, cause: cause.cause })
      }
      if (number === 1 || isLong(number)) {
        yield* Effect.logWarning(`${message} It is tried for ${Duration.format(lockTimeout)} at most.`)
      }
      yield* sleep("db.migration_locks")
    }
  }).pipe(Effect.scoped)

/** Records who blocks a server process, often enough for the shortest try; nobody if it cannot find out. */
const watchBlockers = (url: Redacted.Redacted, watched: Watched): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { sleep, spaced } = yield* Timing
    yield* sleep("db.first_blockers")
    const client = yield* connect(url)
    yield* Effect.tryPromise(() =>
      client.query<{ names: string | null }>(
        `select string_agg(distinct format('%s (process %s)',
            coalesce(nullif(application_name, ''), usename, 'a prepared transaction'), blocking), ', ') as names
          from unnest(pg_blocking_pids($1)) blocking left join pg_stat_activity on pid = blocking`,
        [watched.process]
      )
    ).pipe(
      Effect.tap(({ rows: [row] }) =>
        Effect.sync(() => {
          watched.blockers = row?.names ?? watched.blockers
        })
      ),
      Effect.repeat(spaced("db.blockers"))
    )
  }).pipe(Effect.scoped, Effect.ignore)

const attempt = (
  client: Client,
  watched: Watched,
  missing: Effect.Effect<ReadonlyArray<Migration>, MigrationError>,
  lockTimeout: string
): Effect.Effect<Migration | undefined, MigrationError | HeldUp> =>
  Effect.gen(function* () {
    watched.process = yield* beginTurn(client)
    const [migration] = yield* missing
    if (migration === undefined) {
      yield* query(client, "commit")
      return undefined
    }
    const { checksum, name, version } = migration
    yield* applyWhole(client, migration, lockTimeout)
    const row = [version, name, checksum]
    yield* query(client, "insert into schema_migrations (version, name, checksum) values ($1, $2, $3)", row)
    yield* query(client, "commit")
    return migration
  }).pipe(Effect.onError(() => Effect.ignore(query(client, "rollback"))))

/** In the transaction that the client has open. */
const applyWhole = (
  client: Client,
  migration: Migration,
  lockTimeout: string
): Effect.Effect<void, MigrationError | HeldUp> =>
  Effect.gen(function* () {
    const { name, text } = migration
    const endsTransaction = new MigrationError({
      message: `The migration ${name} ends the transaction it runs in; remove its begin, commit or rollback.`
    })
    yield* query(client, `set local lock_timeout = '${lockTimeout}'`)
    yield* query(client, "savepoint migration")
    yield* query(client, text, [], `The migration ${name} failed`).pipe(
      Effect.catchIf(isHeldUp, (cause) =>
        // A retry needs a full rollback. The client knows only the transaction's state before the error.
        Effect.zipRight(
          Effect.catchIf(
            query(client, "rollback to savepoint migration"),
            hasCode(transactionEnded),
            () => endsTransaction
          ),
          new HeldUp({ migration, cause })
        )
      )
    )
    if (client.getTransactionStatus() !== "T") return yield* endsTransaction
  })
