import * as Runtime from "@effect/platform/Runtime"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Gives back what only the start has needed: some 5 MB for as long as the process lives, for 40 ms once. It listens by then: a
 * request that comes in these 40 ms waits for the rest of them.
 */
const collectGarbage = Effect.sync(() => Bun.gc(true))

/**
 * Runs a program until a signal ends it, in order, and exits.
 *
 * @param complain says what can be foreseen to go wrong at start: one sentence, without a stack
 */
export const launch = (
  program: Layer.Layer<never, { readonly message: string }>,
  complain: (sentence: string) => Effect.Effect<void>
): void => {
  // The first signal ends the program in order. Another must not cut that short: Ctrl-C under `bun start` comes
  // twice, from the terminal and from the command that runs this. The deadline of the drain bounds the wait.
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
      // The layers bring the logger that the configuration asks for.
      disablePrettyLogger: true,
      // A signal exits with what the runtime makes of it, unless something on the way out had more to say.
      teardown: (exit, onExit) =>
        Runtime.defaultTeardown(exit, (code) => onExit(code === 0 ? Number(process.exitCode ?? 0) : code))
    }
  )
}
