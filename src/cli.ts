/** `bun cli`, the command line for operators. */
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import { exitCodes } from "./cli/failures.ts"
import { run } from "./cli/run.ts"
import { commandLine } from "./command-line.ts"

// The first signal stops the command and the embedded database gracefully; others must not interrupt this.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {})

// The reader of a pipe may close it early, as `head` does.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

let exitCode: number = exitCodes.fault
const ended = (code: number) => {
  exitCode = code
}
BunRuntime.runMain(run(commandLine, process.argv.slice(2), ended), {
  disableErrorReporting: true,
  disablePrettyLogger: true,
  teardown: (_, end) => end(exitCode)
})
