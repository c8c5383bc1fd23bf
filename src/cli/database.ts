import { Effect, Layer } from "effect"
import { missingMigrations } from "../db/migrations.ts"
import { connections, DatabaseAccess } from "../db/postgres.ts"
import { visitEmbeddedPostgres } from "../db/visit.ts"
import * as storedKey from "../secrets/stored-key.ts"
import { CommandFailed, exitCodes } from "./failures.ts"
import { withProgress } from "./output.ts"

/** Uses the embedded database of a running doorlock, or starts it. `create`: even if the folder has none. */
export const address = (create: boolean) =>
  DatabaseAccess.from(({ dataDir }) =>
    visitEmbeddedPostgres({ dataDir, create }).pipe(withProgress("Waiting for the embedded database"))
  )

/** The pool and the listener. Only `migrate` changes the schema. */
const connected = Layer.unwrapEffect(
  Effect.gen(function* () {
    const access = yield* DatabaseAccess
    // As the owner: until all migrations are applied, the service's role may not even read their list.
    const missing = yield* missingMigrations({ ...access.migrator, timeout: "cli.database" }).pipe(
      withProgress("Connecting")
    )
    if (missing.length > 0) {
      return yield* new CommandFailed({
        exitCode: exitCodes.unavailable,
        message: `The database lacks ${missing.length === 1 ? "a migration" : `${missing.length} migrations`} (${missing.map(({ name }) => name).join(", ")}); apply them with the command migrate.`
      })
    }
    return connections(access, { maxConnections: 2, timeout: "cli.database" })
  })
).pipe(Layer.provide(address(false)))

export const layer = Layer.provideMerge(storedKey.layer, connected)
