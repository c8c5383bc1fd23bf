/** The database driver (README.md). Nothing outside this folder imports its other files. */
import type * as SqlClient from "@effect/sql/SqlClient"
import { Effect, type Scope } from "effect"
import type { TimeoutName } from "../../shared/times.ts"
import type { Timing } from "../../shared/timing.ts"
import { type OnAnswer, PipelinedClient, prepared } from "./pipelined-client.ts"
import { ConnectionPool } from "./pool.ts"
import { Connector, type Servers } from "./servers.ts"
import { clientOf } from "./sql-client.ts"

export {
  isOverloaded,
  isReadOnly,
  isRefused,
  isRepeatable,
  isServerAway,
  violatedConstraint
} from "./errors.ts"
export { Connector, ServerAway, ServerUnfit } from "./servers.ts"

interface DriverOptions {
  readonly timing: Timing["Type"]
  readonly servers: Servers
  readonly applicationName: string
  readonly maxConnections: number
  /** To connect to one server, or to wait for a free connection. */
  readonly connectTimeout: TimeoutName
  /** For a pooler that gives each transaction another server connection; unset: each connection is one of the server's. */
  readonly pooled?: { readonly keepsStatements: boolean } | undefined
  readonly onLost: (error: Error) => void
  readonly onAnswer: OnAnswer
}

interface Driver {
  readonly sql: SqlClient.SqlClient
  /** Connections in use and idle, and statements and transactions waiting for one. */
  readonly counts: () => { readonly inUse: number; readonly idle: number; readonly waiting: number }
}

/** A pool of connections, opened on demand, until the scope ends. */
export const open = (options: DriverOptions): Effect.Effect<Driver, never, Scope.Scope> => {
  const { maxConnections, onAnswer, onLost, timing } = options
  const connectTimeout = timing.timeout(options.connectTimeout)
  const statementTimeout = timing.timeout("db.statement")
  const limits = {
    statement_timeout: statementTimeout,
    idle_in_transaction_session_timeout: statementTimeout
  }
  const pooled = options.pooled && {
    ...options.pooled,
    settings: { statement_timeout: statementTimeout, ...prepared }
  }
  const config = {
    application_name: options.applicationName,
    keepAlive: true,
    // A pooler refuses them here, so each transaction sets them.
    ...(pooled === undefined ? limits : {})
  }
  const begin = [
    "BEGIN",
    ...(pooled === undefined
      ? []
      : Object.entries({ ...limits, ...prepared }).map(([name, value]) => `SET LOCAL ${name} = ${value}`))
  ].join("; ")
  const start = Effect.sync(() => {
    const connector = new Connector(options.servers, timing, connectTimeout)
    const clientAt = (connectionString: string) =>
      new PipelinedClient({ ...config, connectionString }, onAnswer, pooled)
    return new ConnectionPool({
      open: () => connector.open(clientAt),
      seeksLeader: connector.seeksLeader,
      isServerFixed: connector.isFixed,
      maxConnections,
      timing,
      timeout: connectTimeout,
      // For a server that hangs. The server's own limit comes first, and leaves the connection usable.
      answerTimeout: statementTimeout + timing.timeout("db.answer"),
      onLost
    })
  })
  const stop = (pool: ConnectionPool) =>
    timing.within("db.close_pool", Effect.interruptible(Effect.promise(() => pool.close()))).pipe(
      // A hanging statement must not keep the process alive.
      Effect.andThen(Effect.sync(() => pool.destroy()))
    )
  return Effect.flatMap(Effect.acquireRelease(start, stop), (pool) =>
    Effect.map(clientOf(pool, begin), (sql) => ({ sql, counts: () => pool.counts }))
  )
}
