/** What commands do on the database. */
import { userInfo } from "node:os"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ArrayFormatter } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { Config } from "../config.ts"
import { type CommandFailed, misused } from "./failures.ts"
import { Surroundings } from "./surroundings.ts"

/** What the layer of a command may need. */
type Database = Layer.Layer.Success<typeof import("./database.ts").layer> | Config

/**
 * Runs what needs the use cases of a feature, on the database.
 *
 * @param load a module with their tags and one `layer` of them; loaded by commands that run, since `--help` needs none of it
 */
export const onDatabase =
  <Module, UseCases, E>(
    load: () => Promise<Module & { readonly layer: Layer.Layer<UseCases, E, Database> }>
  ) =>
  <A, E2, R extends UseCases | Database>(use: (module: Module) => Effect.Effect<A, E2, R>) =>
    Effect.gen(function* () {
      const { environment } = yield* Surroundings
      const [module, database] = yield* Effect.promise(() => Promise.all([load(), import("./database.ts")]))
      return yield* Effect.provide(
        use(module),
        module.layer.pipe(Layer.provideMerge(database.layer), Layer.provideMerge(Config.layer(environment)))
      )
    })

/** A value by the rule that the API has for it; fails with the sentence that the API refuses it with. */
export const checked = <A, I>(schema: Schema.Schema<A, I>, value: unknown): Effect.Effect<A, CommandFailed> =>
  Effect.mapError(Schema.decodeUnknown(schema)(value), (error) =>
    misused(ArrayFormatter.formatErrorSync(error)[0]?.message ?? error.message)
  )

/** Who runs the command, as the audit trail names them. */
export const operatorName = (): string => {
  try {
    return userInfo().username
  } catch {
    // A container may run as a user that has no name.
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
}
