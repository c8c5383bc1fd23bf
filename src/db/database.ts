import * as SqlClient from "@effect/sql/SqlClient"
import { Context, Duration, Effect, Layer, Redacted, Runtime } from "effect"
import {
  databaseConnections,
  databaseConnectionsMax,
  databaseWaiting,
  statementDuration,
  statementsFailed
} from "../observability/metrics.ts"
import { serversOf } from "../shared/database-url.ts"
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
import { type Pooling, pathOf } from "./pooler.ts"

/** How long one statement may take before it fails. */
export class StatementTimeout extends Context.Reference<StatementTimeout>()("doorlock/db/StatementTimeout", {
  defaultValue: () => Duration.seconds(10)
}) {}

export interface DatabaseOptions {
  readonly url: Redacted.Redacted
  /** Per process. All processes together must stay below the server's `max_connections`. */
  readonly maxConnections: number
  /** Unset: found out by asking. */
  readonly pooling?: Pooling | undefined
  /** How long to wait for a server that is not ready, 15 s by default. */
  readonly timeout?: Duration.DurationInput
}

/**
 * The database, as `SqlClient`. Every wait is bounded: `ConnectTimeout` for a connection, `StatementTimeout`
 * for a statement. The server ends statements and idle transactions that take longer. If it does not respond
 * even then, the connection is closed, and the next query opens a new one.
 *
 * Names are never transformed, since that would also rewrite keys inside jsonb values. Statements are
 * prepared per connection, unless a pooler in front of Postgres cannot keep them.
 */
export const layer = ({
  maxConnections,
  pooling: setting,
  timeout = "15 seconds",
  url
}: DatabaseOptions): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.scoped(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const ready = Effect.flatMap(connect(url), (client) =>
        Effect.zipRight(checkServer(client, url), pathOf(client, setting))
      )
      const { keepsStatements, pooling } = yield* whenReady(url, timeout, Effect.scoped(ready))
      const runFork = Runtime.runFork(yield* Effect.runtime())
      const { counts, sql } = yield* open({
        servers: serversOf(Redacted.value(url)),
        applicationName,
        maxConnections,
        connectTimeout: yield* ConnectTimeout,
        pooled: pooling === "none" ? undefined : { keepsStatements },
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
