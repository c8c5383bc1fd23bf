import { Effect, Layer } from "effect"
import { Config } from "../config.ts"
import { command } from "./command.ts"
import { withProgress } from "./output.ts"
import { Surroundings } from "./surroundings.ts"

export const migrate = command(
  "migrate",
  "Apply the migrations that the database lacks. With an empty DATA_DIR, this creates the embedded database.",
  {},
  () =>
    Effect.gen(function* () {
      const { environment } = yield* Surroundings
      const { address } = yield* Effect.promise(() => import("./database.ts"))
      const migrations = yield* Effect.promise(() => import("../db/migrations.ts"))
      const { DatabaseAccess } = yield* Effect.promise(() => import("../db/postgres.ts"))
      const done = yield* Effect.flatMap(DatabaseAccess, ({ migrator }) => migrations.migrate(migrator)).pipe(
        withProgress("Applying migrations"),
        Effect.provide(Layer.provide(address(true), Config.layer(environment)))
      )
      const applied = done.map(({ name }) => name)
      return {
        value: { applied },
        words: () =>
          applied.length === 0
            ? "The database has all migrations."
            : applied.map((name) => `applied ${name}`).join("\n")
      }
    })
)
