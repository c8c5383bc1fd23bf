import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Redacted, Runtime } from "effect"
import {
  databaseConnections,
  databaseConnectionsMax,
  databaseWaiting,
  statementDuration,
  statementsFailed
} from "../observability/metrics.ts"
import { serversOf } from "../shared/database-url.ts"
import type { TimeoutName } from "../shared/times.ts"
import { Timing } from "../shared/timing.ts"
import { applicationName, checkServer, connect, type DatabaseUnavailable, whenReady } from "./connection.ts"
import { open } from "./driver/index.ts"
import { type Pooling, pathOf } from "./pooler.ts"

export interface DatabaseOptions {
  readonly url: Redacted.Redacted
  /** Per process. All processes together must stay below the server's `max_connections`. */
  readonly maxConnections: number
  /** Unset: found out by asking. */
  readonly pooling?: Pooling | undefined
  /** How long to wait for a server that is not ready, `db.ready` by default. */
  readonly timeout?: TimeoutName
}

/**
 * The database, as `SqlClient`. Every wait is bounded: `db.connect` for a connection, `db.statement` for a
 * statement. The server ends statements and idle transactions that take longer. If it does not respond
 * even then, the connection is closed, and the next query opens a new one.
 *
 * Names are never transformed, since that would also rewrite keys inside jsonb values. Statements are
 * prepared per connection, unless a pooler in front of Postgres cannot keep them.
 */
export const layer = ({
  maxConnections,
  pooling: setting,
  timeout = "db.ready",
  url
}: DatabaseOptions): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.scoped(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const timing = yield* Timing
      const ready = Effect.flatMap(connect(url), (client) =>
        Effect.zipRight(checkServer(client, url), pathOf(client, setting))
      )
      const { keepsStatements, pooling } = yield* whenReady(url, timeout, Effect.scoped(ready))
      const runFork = Runtime.runFork(yield* Effect.runtime())
      const { counts, sql } = yield* open({
        servers: serversOf(Redacted.value(url)),
        applicationName,
        maxConnections,
        timing,
        connectTimeout: "db.connect",
        pooled: pooling === "none" ? undefined : { keepsStatements },
        onLost: (error) => void runFork(Effect.logDebug("Lost a database connection", error)),
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
