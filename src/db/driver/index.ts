/** The database driver (README.md). Nothing outside this folder imports its other files. */
import type * as SqlClient from "@effect/sql/SqlClient"
import { Effect, type Scope } from "effect"
import { type OnAnswer, PipelinedClient, type WatchedCommits } from "./pipelined-client.ts"
import { ConnectionPool } from "./pool.ts"
import { clientOf } from "./sql-client.ts"

export { isReadOnly, isRefused, isRepeatable, violatedConstraint } from "./errors.ts"

/** Times in milliseconds. */
interface DriverOptions {
  readonly url: string
  readonly applicationName: string
  readonly maxConnections: number
  /** Maximum to open a connection or to wait for a free one. */
  readonly connectTimeout: number
  /** Maximum for a statement and an idle transaction; the server ends what takes longer. */
  readonly statementTimeout: number
  readonly onLost: (error: Error) => void
  readonly onAnswer: OnAnswer
  readonly watched: WatchedCommits
}

interface Driver {
  readonly sql: SqlClient.SqlClient
  /** Connections in use and idle, and statements and transactions waiting for one. */
  readonly counts: () => { readonly inUse: number; readonly idle: number; readonly waiting: number }
}

/** A pool of connections, opened on demand, until the scope ends. */
export const open = (options: DriverOptions): Effect.Effect<Driver, never, Scope.Scope> => {
  const { connectTimeout, maxConnections, onAnswer, onLost, statementTimeout, watched } = options
  const config = {
    connectionString: options.url,
    connectionTimeoutMillis: connectTimeout,
    application_name: options.applicationName,
    keepAlive: true,
    statement_timeout: statementTimeout,
    idle_in_transaction_session_timeout: statementTimeout
  }
  const start = Effect.sync(
    () =>
      new ConnectionPool({
        open: () => new PipelinedClient(config, onAnswer, watched),
        maxConnections,
        timeout: connectTimeout,
        // For a server that hangs. The server's own limit comes first, and leaves the connection usable.
        answerTimeout: statementTimeout + 500,
        onLost
      })
  )
  const stop = (pool: ConnectionPool) =>
    Effect.promise(() => pool.close()).pipe(
      Effect.interruptible,
      Effect.timeoutOption("2 seconds"),
      // A hanging statement must not keep the process alive.
      Effect.andThen(Effect.sync(() => pool.destroy()))
    )
  return Effect.flatMap(Effect.acquireRelease(start, stop), (pool) =>
    Effect.map(clientOf(pool), (sql) => ({ sql, counts: () => pool.counts }))
  )
}
