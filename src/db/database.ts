import * as SqlClient from "@effect/sql/SqlClient"
import { Context, Duration, Effect, Layer, Redacted, Runtime } from "effect"
import {
  databaseConnections,
  databaseConnectionsMax,
  databaseWaiting,
  statementDuration,
  statementsFailed
} from "../observability/metrics.ts"
import {
  applicationName,
  ConnectTimeout,
  checkServer,
  connect,
  type DatabaseUnavailable,
  whenReady
} from "./connection.ts"
import { open } from "./driver/index.ts"
import { recordings } from "./outbox.ts"

/** How long one statement may take before it fails. */
export class StatementTimeout extends Context.Reference<StatementTimeout>()("doorlock/db/StatementTimeout", {
  defaultValue: () => Duration.seconds(10)
}) {}

export interface DatabaseOptions {
  readonly url: Redacted.Redacted
  /** Per process. All processes together must stay below the server's `max_connections`. */
  readonly maxConnections: number
  /** How long to wait for a server that is not ready, 15 s by default. */
  readonly timeout?: Duration.DurationInput
}

/**
 * The database, as `SqlClient`. Every wait is bounded: `ConnectTimeout` for a connection, `StatementTimeout`
 * for a statement. The server ends statements and idle transactions that take longer. If it does not respond
 * even then, the connection is closed, and the next query opens a new one.
 *
 * Names are never transformed, since that would also rewrite keys inside jsonb values. Statements are
 * prepared per connection, so a pooler in front of Postgres must pool sessions.
 */
export const layer = ({
  maxConnections,
  timeout = "15 seconds",
  url
}: DatabaseOptions): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.scoped(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const ready = Effect.scoped(Effect.flatMap(connect(url), (client) => checkServer(client, url)))
      yield* whenReady(url, timeout, ready)
      const runFork = Runtime.runFork(yield* Effect.runtime())
      const { counts, sql } = yield* open({
        url: Redacted.value(url),
        applicationName,
        maxConnections,
        connectTimeout: yield* ConnectTimeout,
        statementTimeout: Duration.toMillis(yield* StatementTimeout),
        onLost: (error) => void runFork(Effect.logDebug("Lost a database connection", error)),
        watched: recordings,
        onAnswer: (seconds, isFailure) => {
          statementDuration.observe(seconds)
          if (isFailure) statementsFailed.add()
        }
      })
      yield* databaseConnections.from(() => {
        const { idle, inUse } = counts()
        return { 'state="in_use"': inUse, 'state="idle"': idle }
      })
      yield* databaseConnectionsMax.from(() => maxConnections)
      yield* databaseWaiting.from(() => counts().waiting)
      return sql
    })
  )
