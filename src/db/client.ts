/** `SqlClient` of `@effect/sql`, with the SQL dialect of `@effect/sql-pg`, on the connections of `db/pool`. */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Shape } from "./columns.ts"
import type { ConnectionPool, Executor, Reserved } from "./pool.ts"

const failed = (cause: unknown) =>
  Effect.fail(new SqlError({ cause, message: "Failed to execute statement" }))

const connectionOn = (executor: Executor): Connection => {
  const run = (text: string, values: ReadonlyArray<unknown>, shape: Shape) =>
    Effect.async<ReadonlyArray<never>, SqlError>((resume) => {
      const abandon = executor.execute({
        text,
        values,
        shape,
        settle: (error, rows) =>
          // The cast: what the rows are is for whoever reads them to decode.
          resume(error ? failed(error) : Effect.succeed(rows as ReadonlyArray<never>))
      })
      return Effect.sync(abandon)
    })
  const execute: Connection["execute"] = (text, values, transform) =>
    transform === undefined ? run(text, values, "object") : Effect.map(run(text, values, "object"), transform)
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: (text, values) => run(text, values, "object"),
    executeValues: (text, values) => run(text, values, "array"),
    executeStream: (text, values, transform) =>
      Stream.unwrap(Effect.map(execute(text, values, transform), Stream.fromIterable))
  }
}

/** Reserved until the scope ends. */
const reserve = (pool: ConnectionPool): Effect.Effect<Connection, SqlError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<Reserved, SqlError>((resume) => {
        pool.reserve((error, reserved) =>
          resume(reserved === undefined ? failed(error) : Effect.succeed(reserved))
        )
      }),
      ({ release }) => Effect.sync(release)
    ),
    connectionOn
  )

/** The client of a pool. */
export const clientOf = (pool: ConnectionPool): Effect.Effect<SqlClient.SqlClient> =>
  SqlClient.make({
    acquirer: Effect.succeed(connectionOn(pool)),
    transactionAcquirer: reserve(pool),
    compiler: PgClient.makeCompiler(),
    spanAttributes: [["db.system.name", "postgresql"]]
  }).pipe(Effect.provide(Reactivity.layer))
