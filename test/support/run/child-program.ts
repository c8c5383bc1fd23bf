import { spawn } from "node:child_process"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { Effect, Redacted } from "effect"

/**
 * A program of the tests as a separate process, killed with the scope if still running. Its environment has only what it needs, and
 * `environment`.
 *
 * @param program its file
 */
export const childProgram = (
  program: string,
  databaseUrl: Redacted.Redacted,
  environment: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [program], {
          env: {
            PATH: process.env.PATH,
            HOME: process.env.HOME,
            TMPDIR: tmpdir(),
            DATABASE_URL: Redacted.value(databaseUrl),
            ...environment
          },
          stdio: ["pipe", "pipe", "inherit"]
        })
      ),
      (running) => Effect.sync(() => void running.kill("SIGKILL"))
    )
    const closed = once(child, "close")
    child.stdout.setEncoding("utf8")
    /** Sends the signal and waits until the process has ended. */
    const end = (signal: NodeJS.Signals): Effect.Effect<void> =>
      Effect.promise(async () => {
        child.kill(signal)
        await closed
      })
    return { child, end }
  })
