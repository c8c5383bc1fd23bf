import { spawn } from "node:child_process"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import type { Progress } from "./usage-program.ts"

const program = join(import.meta.dirname, "usage-program.ts")

/** Runs `usage-program` as a separate process, whose calls have that outcome; killed with the scope. */
export const usageProcess = (url: Redacted.Redacted, outcome: string) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [program], {
          env: {
            PATH: process.env.PATH,
            HOME: process.env.HOME,
            TMPDIR: tmpdir(),
            DATABASE_URL: Redacted.value(url),
            OUTCOME: outcome
          },
          stdio: ["ignore", "pipe", "inherit"]
        })
      ),
      (running) => Effect.sync(() => void running.kill("SIGKILL"))
    )
    const closed = once(child, "close")
    const lags: Array<number> = []
    let progress: Pick<Progress, "made" | "counted"> = { made: 0, counted: 0 }
    let rest = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = `${rest}${chunk}`.split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        // The program wrote the line, so it needs no validation.
        const said: Progress = JSON.parse(line)
        progress = said
        if (said.lag !== null) lags.push(said.lag)
      }
    })
    /** Sends the signal and waits until the process has ended. */
    const end = (signal: NodeJS.Signals) =>
      Effect.promise(async () => {
        child.kill(signal)
        await closed
      })
    return { end, lags: () => lags, progress: () => progress }
  })
