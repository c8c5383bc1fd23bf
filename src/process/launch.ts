import * as Runtime from "@effect/platform/Runtime"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import { Effect, Layer } from "effect"

/** Frees some 5 MB that only start-up needs, in 40 ms, for which the first requests may have to wait. */
const collectGarbage = Effect.sync(() => Bun.gc(true))

/**
 * Runs a program until a signal stops it gracefully, then exits.
 * @param complain reports a foreseeable start-up error: one sentence, without a stack trace
 */
export const launch = (
  program: Layer.Layer<never, { readonly message: string }>,
  complain: (sentence: string) => Effect.Effect<void>
): void => {
  // Signals after the first must not interrupt the graceful shutdown, whose deadline bounds it. Ctrl-C under
  // `bun start` sends two: from the terminal and from the command that runs this process.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {})

  BunRuntime.runMain(
    Layer.launch(Layer.tap(program, () => collectGarbage)).pipe(
      Effect.catchAll(({ message }) =>
        Effect.zipRight(
          complain(message),
          Effect.sync(() => {
            process.exitCode = 1
          })
        )
      )
    ),
    {
      // The layers provide the configured logger.
      disablePrettyLogger: true,
      // The runtime's code, or if that is 0, the one that the program has set.
      teardown: (exit, onExit) =>
        Runtime.defaultTeardown(exit, (code) => onExit(code === 0 ? Number(process.exitCode ?? 0) : code))
    }
  )
}
