import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import type { Effect } from "effect"
import type { CommandLine } from "./contribution.ts"
import { exitCodes } from "./failures.ts"
import { run } from "./run.ts"

/**
 * Runs the command that the arguments of this process name, and ends the process with the command's exit code.
 *
 * @param provide what the command is to use instead of a default
 */
export const main = (
  commandLine: CommandLine,
  provide: (command: Effect.Effect<void>) => Effect.Effect<void> = (command) => command
): void => {
  // The first signal stops the command and the embedded database gracefully; others must not interrupt this.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {})

  // The reader of a pipe may close it early, as `head` does.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

  let exitCode: number = exitCodes.fault
  const ended = (code: number) => {
    exitCode = code
  }
  BunRuntime.runMain(provide(run(commandLine, process.argv.slice(2), ended)), {
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (_, end) => end(exitCode)
  })
}
