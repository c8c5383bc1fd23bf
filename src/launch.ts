import * as Runtime from "@effect/platform/Runtime"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import { Effect, Layer } from "effect"

/**
 * Frees some 5 MB that only start-up needs, at the cost of 40 ms. The service is already listening: a request that
 * arrives during the collection waits for the rest of it.
 */
const collectGarbage = Effect.sync(() => Bun.gc(true))

/**
 * Runs a program until a signal stops it gracefully, then exits.
 *
 * @param complain reports a foreseeable start-up error: one sentence, without a stack trace
 */
export const launch = (
  program: Layer.Layer<never, { readonly message: string }>,
  complain: (sentence: string) => Effect.Effect<void>
): void => {
  // The first signal starts a graceful shutdown, and further signals must not interrupt it: Ctrl-C under `bun start`
  // sends two, one from the terminal and one from the command that runs this process. The drain deadline bounds the
  // wait.
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
      // Exits with the runtime's code, or if that is 0, with the code that the program has set.
      teardown: (exit, onExit) =>
        Runtime.defaultTeardown(exit, (code) => onExit(code === 0 ? Number(process.exitCode ?? 0) : code))
    }
  )
}
