/** Runs the files of `attempts-example` as `bun run test:browser` runs its own. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { temporaryFolder } from "../postgres.ts"
import { run } from "../program.ts"

const example = "test/attempts-example"

/** Runs these files of the example, which know what an earlier process did, with these arguments. */
const attempts = (files: ReadonlyArray<string>, ...words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const summaryFile = join(folder, "summary")
    const program = yield* run(
      { TMPDIR: folder, EXAMPLE_FOLDER: folder, SUMMARY_FILE: summaryFile },
      join(import.meta.dirname, "attempts.ts"),
      [`${example}/vitest.config.ts`, ...files.map((name) => `${example}/${name}.example.ts`), ...words]
    )
    const exitCode = yield* program.exited
    return { exitCode, output: program.stdout(), summary: readFileSync(summaryFile, "utf8") }
  }).pipe(Effect.scoped, Effect.runPromise)

it("runs each test that a deadline ended once more, and names it where it then passes", async () => {
  const { exitCode, output, summary } = await attempts(["late-once"])
  const file = `${example}/late-once.example.ts`
  const expected = [
    `flaky: ${file}: waits (too long?)`,
    `flaky: ${file}: a group`,
    "4 passed, 0 failed, 0 skipped",
    ""
  ].join("\n")
  expect({ exitCode, summary }).toEqual({ exitCode: 0, summary: expected })
  expect(output.endsWith(`\n${expected}`)).toBe(true)
})

it("fails where the second attempt ends by its deadline, too", async () => {
  const { exitCode, output, summary } = await attempts(["late-twice"])
  expect(exitCode).toBe(1)
  expect(output).toContain("It runs once more")
  expect(summary).toMatch(/^failed: .*never ends: Test timed out in 50ms\.\n0 passed, 1 failed, 0 skipped\n$/)
  expect(output.endsWith(`\n${summary}`)).toBe(true)
})

it("makes no second attempt in a run that ends at its first failure, since other tests have not run", async () => {
  const { exitCode, output } = await attempts(["late-once"], "--bail=1")
  expect(exitCode).toBe(1)
  expect(output).not.toContain("It runs once more")
})

it("makes no second attempt of a failed assertion, nor of deadlines beside one", async () => {
  const { exitCode, output, summary } = await attempts(["late-once", "wrong-once"])
  expect(exitCode).toBe(1)
  expect(output).not.toContain("It runs once more")
  expect(summary).toMatch(/\n1 passed, 4 failed, 0 skipped\n$/)
})
