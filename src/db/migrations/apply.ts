import { Clock, Duration, Effect, Either, type Redacted, Ref, Schedule } from "effect"
import { type Client, DatabaseError } from "pg"
import { connect } from "../connection.ts"
import { type Migration, MigrationError } from "./files.ts"

/** Every tenth try outlasts `deadlock_timeout` (1 s), when Postgres cancels a blocking autovacuum. */
const longEvery = 10

const isLong = (number: number): boolean => number % longEvery === 0

/** How long a try waits for each lock, with other clients queued behind it: usually unnoticeable. */
const lockTimeoutOf = (number: number): string => (isLong(number) ? "1500ms" : "200ms")

/** Meanwhile, the clients that queued behind the migration get their locks. */
const pause = "1 second"

/** SQLSTATEs deadlock_detected and lock_not_available. */
const heldUp = ["40P01", "55P03"]

/** SQLSTATEs no_active_sql_transaction and invalid_savepoint_specification. */
const transactionEnded = ["25P01", "3B001"]

const hasCode =
  (codes: ReadonlyArray<string>) =>
  ({ cause }: MigrationError): boolean =>
    cause instanceof DatabaseError && codes.includes(cause.code ?? "")

const isHeldUp = hasCode(heldUp)

/** Postgres' message, with the line number in the text. */
const detail = (cause: unknown, text: string): string => {
  if (!(cause instanceof DatabaseError)) return ""
  if (cause.position === undefined) return `: ${cause.message}`
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

/**
 * Applies a migration in one transaction, with its row in `schema_migrations`. While it waits for a lock,
 * other clients queue behind it, so each try is short, until `lockTimeout` is over.
 */
export const apply = (
  client: Client,
  url: Redacted.Redacted,
  migration: Migration,
  lockTimeout: Duration.DurationInput
): Effect.Effect<void, MigrationError> =>
  Effect.gen(function* () {
    const blockers = yield* Ref.make<string | null>(null)
    yield* Effect.forkScoped(watchBlockers(url, client, blockers))
    const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(lockTimeout)
    for (let number = 1; ; number++) {
      yield* Ref.set(blockers, null)
      const tried = yield* Effect.either(attempt(client, migration, lockTimeoutOf(number)))
      if (Either.isRight(tried)) break
      const error = tried.left
      if (!isHeldUp(error)) return yield* error
      const names = yield* blockers
      const who = names === null ? "" : `; in the way: ${names}`
      const message = `The migration ${migration.name} did not get its locks${detail(error.cause, migration.text)}${who}.`
      if ((yield* Clock.currentTimeMillis) >= until) {
        return yield* new MigrationError({ message, cause: error.cause })
      }
      if (number === 1 || isLong(number)) {
        yield* Effect.logWarning(`${message} It is tried for ${Duration.format(lockTimeout)} at most.`)
      }
      yield* Effect.sleep(pause)
    }
    yield* Effect.logDebug(`Applied migration ${migration.name}`)
  }).pipe(Effect.scoped)

/** Records who blocks a connection, often enough for the shortest try; nobody if it cannot find out. */
const watchBlockers = (
  url: Redacted.Redacted,
  waiting: Client,
  blockers: Ref.Ref<string | null>
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
      Effect.tap(({ rows: [row] }) => Ref.update(blockers, (known) => row?.names ?? known)),
      Effect.repeat(Schedule.spaced("50 millis"))
    )
  ).pipe(Effect.scoped, Effect.delay("100 millis"), Effect.ignore)

const attempt = (
  client: Client,
  { version, name, checksum, text }: Migration,
  lockTimeout: string
): Effect.Effect<void, MigrationError> =>
  Effect.gen(function* () {
    const endsTransaction = new MigrationError({
      message: `The migration ${name} ends the transaction it runs in; remove its begin, commit or rollback.`
    })
    yield* query(client, "begin")
    yield* query(client, `set local lock_timeout = '${lockTimeout}'`)
    yield* query(client, "savepoint migration")
    yield* query(client, text, [], `The migration ${name} failed`).pipe(
      // A retry needs a full rollback. The client knows only the transaction's state before the error.
      Effect.tapError((error) =>
        isHeldUp(error)
          ? Effect.catchIf(
              query(client, "rollback to savepoint migration"),
              hasCode(transactionEnded),
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
