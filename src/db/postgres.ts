import { Context, Effect, Layer, type Redacted } from "effect"
import { Config, type Configuration } from "../config.ts"
import { Changes } from "./changes.ts"
import * as Database from "./database.ts"
import { startEmbeddedPostgres } from "./embedded.ts"
import { type Migrator, migrate } from "./migrations.ts"

export interface Access {
  /** Connects as the service. */
  readonly url: Redacted.Redacted<string>
  readonly migrator: Migrator
}

/** The configured database, or else the embedded one. */
export class DatabaseAccess extends Context.Tag("DatabaseAccess")<DatabaseAccess, Access>() {
  /** @param embedded used if no database is configured; no other layer knows which of the two it is */
  static readonly from = <E, R>(embedded: (config: Configuration) => Effect.Effect<Access, E, R>) =>
    Layer.scoped(
      DatabaseAccess,
      Effect.flatMap(Config, (config): Effect.Effect<Access, E, R> => {
        const { databaseUrl: url } = config
        return url === undefined ? embedded(config) : Effect.succeed({ url, migrator: { url } })
      })
    )

  static readonly layer = DatabaseAccess.from(({ dataDir }) => startEmbeddedPostgres({ dataDir }))
}

/** The pool and the listener, on a database with all migrations applied. */
export const layer = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { databasePool } = yield* Config
    const { migrator, url } = yield* DatabaseAccess
    yield* migrate(migrator)
    return Layer.merge(Database.layer({ url, maxConnections: databasePool }), Changes.Default({ url }))
  })
)
