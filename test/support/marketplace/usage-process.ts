import { join } from "node:path"
import { Effect, type Redacted } from "effect"
import { childProgram } from "../run/child-program.ts"
import type { Progress } from "./usage-program.ts"

const program = join(import.meta.dirname, "usage-program.ts")

/** Runs `usage-program` as a separate process, whose calls have that outcome; killed with the scope. */
export const usageProcess = (url: Redacted.Redacted, outcome: string) =>
  Effect.gen(function* () {
    const { child, end } = yield* childProgram(program, url, { OUTCOME: outcome })
    const lags: Array<number> = []
    let progress: Pick<Progress, "made" | "counted"> = { made: 0, counted: 0 }
    let rest = ""
    child.stdout.on("data", (chunk: string) => {
      const lines = `${rest}${chunk}`.split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        // The program wrote the line, so it needs no validation.
        const said: Progress = JSON.parse(line)
        progress = said
        if (said.lag !== null) lags.push(said.lag)
      }
    })
    return { end, lags: () => lags, progress: () => progress }
  })
