import { Data, Duration, Effect, Redacted, type Scope } from "effect"
import { Client, type ClientBase, DatabaseError } from "pg"
import { serversOf, withoutSecrets } from "../shared/database-url.ts"
import { messageOf, toError } from "../shared/error.ts"
import type { TimeoutName } from "../shared/times.ts"
import { Timing } from "../shared/timing.ts"
import { Connector, ServerAway, ServerUnfit } from "./driver/index.ts"

/** The name of this service's connections in `pg_stat_activity`. */
export const applicationName = "doorlock"

/** The database is unusable; the message is one sentence for the operator. */
export class DatabaseUnavailable extends Data.TaggedError("DatabaseUnavailable")<{
  readonly message: string
  readonly cause?: unknown
}> {}

const oldestServer = { number: 140_000, name: "14" }

/** The setting that a URL comes from. */
export type UrlSetting = "DATABASE_URL" | "DATABASE_LISTEN_URL"

/** The setting and its URL, without the password and the query string. */
const nameOf = (url: Redacted.Redacted, setting: UrlSetting): string => {
  // node-postgres accepts some strings that are not standard URLs; they are not shown.
  const shown = withoutSecrets(Redacted.value(url))
  return shown === undefined ? setting : `${setting} ${shown}`
}

/** Temporary SQLSTATEs: shutting down, crash recovery, starting up, too many connections. */
const busyServer = new Set(["57P01", "57P02", "57P03", "53300"])

const unreachable = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  // A Unix socket that the server has not created yet.
  "ENOENT"
])

/** Whether waiting can help: the server is not up yet, rather than rejecting the connection. */
const isPassing = (error: unknown): boolean => {
  if (error instanceof ServerAway) return error.reasons.some(isPassing)
  if (error instanceof ServerUnfit) return true
  if (error instanceof DatabaseError) return error.code !== undefined && busyServer.has(error.code)
  if (!(error instanceof Error)) return false
  if ("code" in error && typeof error.code === "string") return unreachable.has(error.code)
  // node-postgres sets no code if a connection closes or times out before it is ready.
  return error.message.startsWith("Connection terminated") || error.message.startsWith("timeout")
}

/** Retries until `timeout` while the server is not up. Any other error fails at once. */
export const whenReady = <A, R>(
  url: Redacted.Redacted,
  timeout: TimeoutName,
  attempt: Effect.Effect<A, unknown, R>,
  setting: UrlSetting = "DATABASE_URL"
): Effect.Effect<A, DatabaseUnavailable, R> =>
  Effect.flatMap(Timing, (timing) =>
    attempt.pipe(
      Effect.retry({
        while: isPassing,
        schedule: timing.upTo(timeout, timing.doubling("db.ready", "db.longest_ready"))
      }),
      Effect.mapError((cause) => {
        if (cause instanceof DatabaseUnavailable) return cause
        const message = isPassing(cause)
          ? `${nameOf(url, setting)} did not answer within ${Duration.format(timing.timeout(timeout))}: ${messageOf(cause)}.`
          : `${nameOf(url, setting)} cannot be used: ${messageOf(cause)}.`
        return new DatabaseUnavailable({ message, cause })
      })
    )
  )

export const checkServer = (
  client: ClientBase,
  url: Redacted.Redacted,
  setting: UrlSetting = "DATABASE_URL"
): Effect.Effect<void, DatabaseUnavailable | Error> =>
  Effect.tryPromise({
    try: () =>
      client.query<{ number: number; name: string }>(
        "select current_setting('server_version_num')::int as number, current_setting('server_version') as name"
      ),
    catch: toError
  }).pipe(
    Effect.flatMap(({ rows: [server] }) =>
      server === undefined || server.number < oldestServer.number
        ? new DatabaseUnavailable({
            message: `${nameOf(url, setting)} is Postgres ${server?.name}; ${oldestServer.name} or newer is needed.`
          })
        : Effect.void
    )
  )

/**
 * A connection outside the pool, closed with the scope. If it breaks, only the next query fails.
 * @param timeout to connect to one server
 * @param purpose `reads`: to a standby
 */
export const connect = (
  url: Redacted.Redacted,
  timeout: TimeoutName = "db.connect",
  purpose?: "reads"
): Effect.Effect<Client, Error, Scope.Scope> =>
  Effect.flatMap(Timing, (timing) =>
    Effect.acquireRelease(
      Effect.tryPromise({
        try: () =>
          new Connector(serversOf(Redacted.value(url), purpose), timing, timing.timeout(timeout)).open(
            (connectionString) =>
              new Client({ connectionString, application_name: applicationName, keepAlive: true })
          ).connected,
        catch: toError
      }),
      (client) =>
        timing.within("db.close", Effect.interruptible(Effect.promise(() => client.end()))).pipe(
          // A hanging server never closes its side, and its socket would keep the process alive.
          Effect.andThen(Effect.sync(() => client.connection.stream.destroy()))
        )
    )
  )
