import { Context, Effect, Layer, type Redacted } from "effect"
import { Config, type Configuration } from "../config.ts"
import type { TimeoutName } from "../shared/times.ts"
import { Changes } from "./changes.ts"
import * as Database from "./database.ts"
import { startEmbeddedPostgres } from "./embedded.ts"
import { allApplied, type Migrator, migrate } from "./migrations.ts"
import type { Pooling } from "./pooler.ts"
import * as Replica from "./replica.ts"

export interface Access {
  /** Connects as the service. */
  readonly url: Redacted.Redacted<string>
  /** For what needs a connection of its own, where `url` goes through a pooler. */
  readonly listenUrl?: Redacted.Redacted<string> | undefined
  /** Standbys that some reads may use. */
  readonly readUrl?: Redacted.Redacted<string> | undefined
  /** Of `url`; unset: found out by asking. */
  readonly pooling?: Pooling | undefined
  readonly migrator: Migrator
}

/** The database that the settings name; undefined: an embedded one. */
export const configuredAccess = ({
  databaseListenUrl: listenUrl,
  databasePooling: pooling,
  databaseReadUrl: readUrl,
  databaseUrl: url
}: Configuration): Access | undefined =>
  url === undefined
    ? undefined
    : {
        url,
        listenUrl,
        readUrl,
        pooling,
        migrator:
          listenUrl === undefined
            ? { url, setting: "DATABASE_URL" }
            : { url: listenUrl, setting: "DATABASE_LISTEN_URL" }
      }

/** The pool, the listener, and what reads from standbys. */
export const connections = (
  { listenUrl, pooling, readUrl, url }: Access,
  options: { readonly maxConnections: number; readonly timeout?: TimeoutName }
) => {
  const { maxConnections } = options
  const pool = Database.layer({ url, pooling, ...options })
  return Layer.merge(
    readUrl === undefined ? pool : Layer.provideMerge(Replica.layer({ url: readUrl, maxConnections }), pool),
    Changes.Default({ url, listenUrl, pooling })
  )
}

/** The configured database, or else the embedded one. */
export class DatabaseAccess extends Context.Tag("DatabaseAccess")<DatabaseAccess, Access>() {
  /** @param embedded used if no database is configured; no other layer knows which of the two it is */
  static readonly from = <E, R>(embedded: (config: Configuration) => Effect.Effect<Access, E, R>) =>
    Layer.scoped(
      DatabaseAccess,
      Effect.flatMap(Config, (config): Effect.Effect<Access, E, R> => {
        const access = configuredAccess(config)
        return access === undefined ? embedded(config) : Effect.succeed(access)
      })
    )

  static readonly layer = DatabaseAccess.from(({ dataDir }) => startEmbeddedPostgres({ dataDir }))
}

const onSchema = <E, R>(prepare: (migrator: Migrator) => Effect.Effect<unknown, E, R>) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const { databasePool } = yield* Config
      const access = yield* DatabaseAccess
      yield* prepare(access.migrator)
      return connections(access, { maxConnections: databasePool })
    })
  )

/**
 * The pool and the listener, on a database to which it applies all migrations.
 * @param before what must hold before it applies any
 */
export const layer = <E, R>(before: (migrator: Migrator) => Effect.Effect<void, E, R>) =>
  onSchema((migrator) =>
    Effect.flatMap(Effect.context<R>(), (context) =>
      migrate(migrator, Effect.provide(before(migrator), context))
    )
  )

/** The pool and the listener, on a database to which others apply all migrations. */
export const layerForGateway = onSchema((migrator) =>
  allApplied(migrator, "a gateway applies none: start a process with another ROLE, or run bun cli migrate")
)
