import { Effect, type Redacted } from "effect"
import type { Client } from "pg"
import { messageOf } from "../../shared/error.ts"
import { connect } from "../connection.ts"
import { type Migration, MigrationError } from "./files.ts"

/** The first line of a file whose statements run one by one, outside a transaction. Each has to be repeatable. */
const mark = "-- doorlock: each statement by itself\n"

export const isByStatement = ({ text }: Migration): boolean => text.startsWith(mark)

const statementsOf = ({ text }: Migration): ReadonlyArray<string> =>
  text
    .split(/;\s*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "")

/** Indexes that an interrupted `create index concurrently` has left. `if not exists` would take them for whole ones. */
const brokenIndexes = `select quote_ident(relname) as name from pg_index join pg_class on pg_class.oid = indexrelid
  where not indisvalid and relnamespace = current_schema()::regnamespace and strpos($1, ' ' || relname || ' ') > 0`

/**
 * Applies a migration on a connection of its own, while `turn` has a transaction open that keeps other migrations away. That transaction has
 * no snapshot, so `concurrently` does not wait for it. What a process that was killed has left undone, the next one does.
 */
export const applyByStatement = (
  turn: Client,
  url: Redacted.Redacted,
  migration: Migration
): Effect.Effect<void, MigrationError> =>
  Effect.gen(function* () {
    const run = (client: Client, text: string, values: ReadonlyArray<unknown> = []) =>
      Effect.tryPromise({
        try: () => client.query<{ name: string }>(text, [...values]),
        catch: (cause) =>
          new MigrationError({
            message: `The migration ${migration.name} failed: ${messageOf(cause)}.`,
            cause
          })
      })
    yield* run(turn, "set local idle_in_transaction_session_timeout = 0")
    const client = yield* connect(url).pipe(
      Effect.mapError(
        (cause) =>
          new MigrationError({ message: `The migration ${migration.name} got no second connection.`, cause })
      )
    )
    yield* run(client, "set statement_timeout = 0")
    const { rows } = yield* run(client, brokenIndexes, [migration.text])
    for (const { name } of rows) yield* run(client, `drop index concurrently ${name}`)
    for (const statement of statementsOf(migration)) yield* run(client, statement)
  }).pipe(Effect.scoped)
