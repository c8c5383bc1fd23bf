import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import { databaseConnections, databaseConnectionsMax, databaseWaiting } from "../observability/metrics.ts"
import {
  applicationName,
  ConnectPatience,
  checkServer,
  connect,
  type DatabaseUnavailable,
  whenReady
} from "./connection.ts"
import { PreparingClient } from "./driver/pipelined-client.ts"
import { ConnectionPool } from "./driver/pool.ts"
import { clientOf } from "./driver/sql-client.ts"

/** How long one statement may take before it fails. */
export class StatementTimeout extends Context.Reference<StatementTimeout>()("doorlock/db/StatementTimeout", {
  defaultValue: () => Duration.seconds(10)
}) {}

export interface DatabaseOptions {
  readonly url: Redacted.Redacted
  /**
   * Connections this process opens at most; together the processes must stay below the server's
   * `max_connections`.
   */
  readonly maxConnections: number
  /** How long a server that is not ready yet is waited for at start-up, 15 s by default. */
  readonly patience?: Duration.DurationInput
}

/**
 * The database, as `SqlClient`.
 *
 * Statements are prepared and pipelined (see {@link PreparingClient}, {@link ConnectionPool}). Nothing waits without an
 * end: opening or waiting for a connection takes `ConnectPatience` at most, a statement `StatementTimeout`; the server ends what runs
 * longer and transactions left idle as long, and if it does not answer even then, the connection is given up. A broken
 * connection is dropped, and the next query opens a new one, so the service recovers as soon as the database does.
 * Column and field names are never transformed: that would rewrite the keys inside jsonb values.
 *
 * Statement names belong to a connection: a pooler in front of Postgres must pool sessions.
 */
export const layer = (options: DatabaseOptions): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.scoped(SqlClient.SqlClient, Effect.flatMap(makePool(options), clientOf))

const makePool = ({
  url,
  maxConnections,
  patience = "15 seconds"
}: DatabaseOptions): Effect.Effect<ConnectionPool, DatabaseUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const ready = Effect.scoped(Effect.flatMap(connect(url), (client) => checkServer(client, url)))
    yield* whenReady(url, patience, ready)

    const runFork = Runtime.runFork(yield* Effect.runtime())
    const connectPatience = yield* ConnectPatience
    const queryTimeoutMillis = Duration.toMillis(yield* StatementTimeout)
    const open = Effect.sync(
      () =>
        new ConnectionPool({
          open: () =>
            new PreparingClient({
              connectionString: Redacted.value(url),
              connectionTimeoutMillis: connectPatience,
              application_name: applicationName,
              keepAlive: true,
              statement_timeout: queryTimeoutMillis,
              idle_in_transaction_session_timeout: queryTimeoutMillis
            }),
          maxConnections,
          patience: connectPatience,
          // Later than the server's own limit, which leaves the connection usable: this is for a server that
          // does not answer at all.
          answerTimeout: queryTimeoutMillis + 500,
          onLost: (error) => void runFork(Effect.logDebug("Lost a database connection", error))
        })
    )
    const close = (pool: ConnectionPool) =>
      Effect.promise(() => pool.close()).pipe(
        Effect.interruptible,
        Effect.timeoutOption("2 seconds"),
        // What is still out by then hangs; it must not keep the process from ending.
        Effect.andThen(Effect.sync(() => pool.destroy()))
      )
    const pool = yield* Effect.acquireRelease(open, close)
    yield* databaseConnections.from(() => {
      const { idle, inUse } = pool.counts
      return { 'state="in_use"': inUse, 'state="idle"': idle }
    })
    yield* databaseConnectionsMax.from(() => maxConnections)
    yield* databaseWaiting.from(() => pool.counts.waiting)
    return pool
  })
