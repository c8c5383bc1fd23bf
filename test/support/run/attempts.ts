/**
 * `bun test/support/run/attempts.ts <config> [arguments]` runs Vitest. If deadlines alone made the run fail, each test that they ended runs
 * once more, alone, in a fresh process, with the configuration but without the arguments. If all of these pass, so does the run, and its
 * last lines name them: `flaky: <title>`. A failed assertion has no second attempt.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lastLines, type RunResult } from "./summary.ts"

const [config = "", ...given] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), "doorlock-attempts-"))
const summaryFile = process.env.SUMMARY_FILE

/** The exit code of Vitest if tests failed. */
const testsFailed = 1

/** Runs Vitest to its end. Without a result, it was not a whole run. */
const vitest = async (words: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}) => {
  const file = join(folder, "result.json")
  rmSync(file, { force: true })
  const child = Bun.spawn([process.execPath, "--bun", "vitest", "--config", config, ...words], {
    env: { ...process.env, RESULT_FILE: file, ...environment },
    stdio: ["inherit", "inherit", "inherit"]
  })
  const end = () => child.kill("SIGTERM")
  process.on("SIGTERM", end)
  const exitCode = await child.exited
  process.off("SIGTERM", end)
  try {
    return { exitCode, result: JSON.parse(readFileSync(file, "utf8")) as RunResult }
  } catch {
    return { exitCode, result: undefined }
  }
}

/** Ends the output as a run does. */
const writeSummary = (lines: ReadonlyArray<string>) => {
  const text = `${lines.join("\n")}\n`
  process.stdout.write(`\n${text}`)
  if (summaryFile !== undefined) writeFileSync(summaryFile, text)
}

const run = async (): Promise<number> => {
  const { exitCode, result } = await vitest(given)
  if (exitCode !== testsFailed || result === undefined || result.late.length === 0) return exitCode
  for (const { file, pattern, title } of result.late) {
    process.stdout.write(`\nA deadline ended this test. It runs once more: ${title}\n`)
    const named = pattern === "" ? [] : ["--testNamePattern", pattern]
    const second = await vitest([file, ...named], { SUMMARY_FILE: join(folder, "summary") })
    // A pattern that no test matches skips all, which is no success.
    if (second.exitCode !== 0 || second.result === undefined || second.result.passed === 0) {
      writeSummary(result.lines)
      return exitCode
    }
  }
  const { failed, late, passed, skipped } = result
  writeSummary(
    lastLines(
      { passed: passed + failed, failed: 0, skipped },
      late.map(({ title }) => `flaky: ${title}`)
    )
  )
  return 0
}

// The terminal interrupts Vitest too, which then ends by itself.
process.on("SIGINT", () => {})
process.exitCode = await run()
rmSync(folder, { recursive: true, force: true })
