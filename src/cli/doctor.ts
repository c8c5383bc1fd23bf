import { Effect } from "effect"
import type { NamedFinding } from "./check.ts"
import { command } from "./command.ts"
import type { Contribution } from "./contribution.ts"
import { exitCodes } from "./failures.ts"
import { oneLine, type Paint, withProgress } from "./output.ts"
import { Surroundings } from "./surroundings.ts"

const marks = {
  ok: ["green", "ok"],
  warning: ["yellow", "warning"],
  failed: ["red", "failed"],
  skipped: ["dim", "skipped"]
} as const

const line = (paint: Paint, { advice, message, name, status }: NamedFinding, width: number): string => {
  const [colour, word] = marks[status]
  const indent = " ".repeat(width + 11)
  const hint = advice === undefined ? "" : `\n${indent}${paint("dim", oneLine(advice))}`
  return `${paint(colour, word.padEnd(7))}  ${name.padEnd(width)}  ${oneLine(message)}${hint}`
}

const words = (checks: ReadonlyArray<NamedFinding>) => (paint: Paint) => {
  const width = Math.max(...checks.map(({ name }) => name.length))
  return checks.map((check) => line(paint, check, width)).join("\n")
}

export const doctor = (features: ReadonlyArray<Contribution>) =>
  command(
    "doctor",
    "Check everything that doorlock depends on, and suggest fixes. Changes nothing.",
    {},
    () =>
      Effect.gen(function* () {
        const { examine } = yield* Effect.promise(() => import("./checks/examination.ts"))
        const { environment } = yield* Surroundings
        const checks = yield* withProgress("Checking")(examine(environment, features))
        const ok = checks.every(({ status }) => status !== "failed")
        return {
          value: { ok, checks },
          words: words(checks),
          exitCode: ok ? exitCodes.done : exitCodes.refused
        }
      })
  )
