import type * as SqlClient from "@effect/sql/SqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import { type ClientConfig, Pool } from "pg"
import {
  applicationName,
  checkServer,
  connectTimeoutMillis,
  type DatabaseUnavailable,
  whenReady
} from "./connection.ts"
import { PreparingClient } from "./prepared.ts"

export interface DatabaseOptions {
  readonly url: Redacted.Redacted
  /**
   * Connections this process opens at most; together the processes must stay below the server's
   * `max_connections`.
   */
  readonly maxConnections: number
  /** How long one statement may take before it fails, 10 s by default. */
  readonly queryTimeout?: Duration.DurationInput
  /** How long a server that is not ready yet is waited for at start-up, 15 s by default. */
  readonly patience?: Duration.DurationInput
}

/**
 * The connection pool, as `PgClient` and `SqlClient`.
 *
 * Statements are prepared (see {@link PreparingClient}). Nothing waits without an end: opening or waiting for
 * a connection takes 3 s at most, a statement `queryTimeout`; the server ends what runs longer and
 * transactions left idle as long, and if it does not answer even then, the connection is given up. A broken
 * connection is dropped, and the next query opens a new one, so the service recovers as soon as the database
 * does. Column and field names are never transformed: that would rewrite the keys inside jsonb values.
 *
 * Statement names belong to a connection: a pooler in front of Postgres must pool sessions.
 */
export const layer = (
  options: DatabaseOptions
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.unwrapScoped(
    Effect.map(makePool(options), (pool) =>
      // The only error of this layer is that of `acquire`, which has none.
      Layer.orDie(PgClient.layerFromPool({ acquire: Effect.succeed(pool) }))
    )
  )

const makePool = ({
  url,
  maxConnections,
  queryTimeout = "10 seconds",
  patience = "15 seconds"
}: DatabaseOptions): Effect.Effect<Pool, DatabaseUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const runFork = Runtime.runFork(yield* Effect.runtime())
    const queryTimeoutMillis = Duration.toMillis(queryTimeout)
    const connections = new Set<PreparingClient>()

    class PoolClient extends PreparingClient {
      constructor(config?: ClientConfig) {
        // Later than the server's own limit, which leaves the connection usable: this is for a server that
        // does not answer at all.
        super(config, queryTimeoutMillis + 500)
        connections.add(this)
        this.once("end", () => connections.delete(this))
      }
    }

    const open = Effect.sync(() => {
      const pool = new Pool({
        Client: PoolClient,
        connectionString: Redacted.value(url),
        max: maxConnections,
        connectionTimeoutMillis: connectTimeoutMillis,
        idleTimeoutMillis: 60_000,
        application_name: applicationName,
        keepAlive: true,
        statement_timeout: queryTimeoutMillis,
        idle_in_transaction_session_timeout: queryTimeoutMillis
      })
      // Without a listener, losing an idle connection would end the process. The pool has dropped it already.
      pool.on("error", (error) => void runFork(Effect.logDebug("Lost an idle database connection", error)))
      // An interrupted statement may still be running when its connection comes back. The next one to use it
      // would wait behind it, or be hit by its cancellation. A connection that is being closed is not pooled
      // again.
      pool.on("release", (_, client) => {
        if (client instanceof PreparingClient && client.isBusy) void client.end()
      })
      return pool
    })
    const close = (pool: Pool) =>
      Effect.promise(() => pool.end()).pipe(
        Effect.interruptible,
        Effect.timeoutOption("2 seconds"),
        // What is still out by then hangs; it must not keep the process from ending.
        Effect.andThen(
          Effect.sync(() => {
            for (const client of connections) client.connection.stream.destroy()
          })
        )
      )

    const pool = yield* Effect.acquireRelease(open, close)
    const firstConnection = Effect.acquireRelease(
      Effect.tryPromise({ try: () => pool.connect(), catch: (cause) => cause }),
      (client) => Effect.sync(() => client.release())
    )
    const ready = Effect.scoped(Effect.flatMap(firstConnection, (client) => checkServer(client, url)))
    yield* whenReady(url, patience, ready)
    return pool
  })
