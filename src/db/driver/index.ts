/** The database driver. README.md says what it does, and why it exists. Nothing outside this folder imports its other files. */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type OnAnswer, PipelinedClient } from "./pipelined-client.ts"
import { ConnectionPool } from "./pool.ts"
import { clientOf } from "./sql-client.ts"

export { isRepeatable, violatedConstraint } from "./errors.ts"

/** Times are in milliseconds. */
interface DriverOptions {
  readonly url: string
  /** The name of the connections in `pg_stat_activity`. */
  readonly applicationName: string
  readonly maxConnections: number
  /** How long opening a connection, or waiting for a free one, may take. */
  readonly connectPatience: number
  /** How long a statement may take, and a transaction may be idle. The server ends what takes longer. */
  readonly statementTimeout: number
  /** Hears of every connection that is lost. */
  readonly onLost: (error: Error) => void
  readonly onAnswer: OnAnswer
}

interface Driver {
  readonly sql: SqlClient.SqlClient
  /** How many connections are in use, how many are idle, and how many statements and transactions wait for one. */
  readonly counts: () => { readonly inUse: number; readonly idle: number; readonly waiting: number }
}

/** A pool of connections to one database, until the scope ends. Connections are opened as they are needed. */
export const open = (options: DriverOptions): Effect.Effect<Driver, never, Scope.Scope> => {
  const { connectPatience, maxConnections, onAnswer, onLost, statementTimeout } = options
  const config = {
    connectionString: options.url,
    connectionTimeoutMillis: connectPatience,
    application_name: options.applicationName,
    keepAlive: true,
    statement_timeout: statementTimeout,
    idle_in_transaction_session_timeout: statementTimeout
  }
  const start = Effect.sync(
    () =>
      new ConnectionPool({
        open: () => new PipelinedClient(config, onAnswer),
        maxConnections,
        patience: connectPatience,
        // For a server that does not answer at all. Its own limit comes first, and leaves the connection usable.
        answerTimeout: statementTimeout + 500,
        onLost
      })
  )
  const stop = (pool: ConnectionPool) =>
    Effect.promise(() => pool.close()).pipe(
      Effect.interruptible,
      Effect.timeoutOption("2 seconds"),
      // A statement that hangs must not keep the process from ending.
      Effect.andThen(Effect.sync(() => pool.destroy()))
    )
  return Effect.flatMap(Effect.acquireRelease(start, stop), (pool) =>
    Effect.map(clientOf(pool), (sql) => ({ sql, counts: () => pool.counts }))
  )
}
