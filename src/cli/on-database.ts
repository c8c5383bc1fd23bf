import { userInfo } from "node:os"
import { Effect, Layer, Schema } from "effect"
import { ArrayFormatter } from "effect/ParseResult"
import { Config } from "../config.ts"
import { type CommandFailed, misused } from "./failures.ts"
import { Surroundings } from "./surroundings.ts"

type Database = Layer.Layer.Success<typeof import("./database.ts").layer> | Config

/** What the commands of a feature need, mostly its `cli-layer.ts`. */
interface Ground<UseCases, Needed extends Out, Out, E> {
  readonly useCases: Effect.Effect<UseCases, never, Needed>
  readonly layer: Layer.Layer<Out, E, Database>
}

/** Runs a function of a feature's use cases, which it loads only then: `--help` needs none of them. */
export const onDatabase =
  <UseCases, Needed extends Out, Out, E>(load: () => Promise<Ground<UseCases, Needed, Out, E>>) =>
  <A, E2, R extends Out | Database>(use: (useCases: UseCases) => Effect.Effect<A, E2, R>) =>
    Effect.gen(function* () {
      const { environment } = yield* Surroundings
      const [{ layer, useCases }, database] = yield* Effect.promise(() =>
        Promise.all([load(), import("./database.ts")])
      )
      return yield* Effect.flatMap(useCases, use).pipe(
        Effect.provide(layer),
        Effect.provide(Layer.provideMerge(database.layer, Config.layer(environment)))
      )
    })

/** Fails with the sentence of the API. */
export const checked = <A, I>(schema: Schema.Schema<A, I>, value: unknown): Effect.Effect<A, CommandFailed> =>
  Effect.mapError(Schema.decodeUnknown(schema)(value), (error) =>
    misused(ArrayFormatter.formatErrorSync(error)[0]?.message ?? error.message)
  )

/** The user who runs the command, as named in the audit trail. */
export const operatorName = (): string => {
  try {
    return userInfo().username
  } catch {
    // A container may run as a user without a name.
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
}
