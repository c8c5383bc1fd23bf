import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { Config } from "../config.ts"
import { Changes } from "./changes.ts"
import * as Database from "./database.ts"
import { startEmbeddedPostgres } from "./embedded.ts"
import { migrate } from "./migrations.ts"

/** Where the database is: the configured one, or the embedded one that was started instead. */
export class DatabaseUrl extends Context.Tag("DatabaseUrl")<DatabaseUrl, Redacted.Redacted<string>>() {
  /** Nothing above this layer knows which of the two it is. */
  static readonly layer = Layer.scoped(
    DatabaseUrl,
    Effect.flatMap(Config, ({ dataDir, databaseUrl }) =>
      databaseUrl === undefined
        ? Effect.map(startEmbeddedPostgres({ dataDir }), ({ url }) => url)
        : Effect.succeed(databaseUrl)
    )
  )
}

/** The pool and the listener on a database that has all migrations. */
export const layer = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { databasePool } = yield* Config
    const url = yield* DatabaseUrl
    yield* migrate({ url })
    return Layer.merge(Database.layer({ url, maxConnections: databasePool }), Changes.Default({ url }))
  })
)
