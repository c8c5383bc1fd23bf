/**
 * The end of a run: the names of the skipped and failed tests, and how many tests passed, failed and were
 * skipped.
 */
import { writeFileSync } from "node:fs"
import { relative } from "node:path"
import type { Reporter, TestCase, TestModule, TestRunEndReason, TestSuite, Vitest } from "vitest/node"

/** A test, group or file of a run. */
interface RunPart {
  /** The file, and the names of the groups and of the test in it. */
  readonly title: string
  /** Its file, from the repository's root. */
  readonly file: string
  /** A regular expression that the full names of its tests match, as Vitest's `--testNamePattern` takes it; of a file: empty. */
  readonly pattern: string
  /** Whether it failed because of deadlines only. */
  readonly isLate: boolean
}

/** A test and its result. A test whose process ended first is pending. */
export interface RunTest extends RunPart {
  readonly state: "passed" | "failed" | "skipped" | "pending"
  /** Why it failed. */
  readonly reason?: string | undefined
}

/** A file, or a group of tests in a file. */
export interface RunGroup extends RunPart {
  /**
   * Whether the file or group itself failed: it could not be loaded, or its hooks before or after the tests
   * failed.
   */
  readonly isBroken: boolean
  readonly tests: ReadonlyArray<RunTest>
  readonly groups: ReadonlyArray<RunGroup>
}

/** How a whole run ended, as `RESULT_FILE` has it in JSON. */
export interface RunResult {
  /** Its last lines: {@link lastLines}. */
  readonly lines: ReadonlyArray<string>
  readonly passed: number
  readonly failed: number
  /** The titles of the skipped tests. */
  readonly skipped: ReadonlyArray<string>
  /** What failed because of deadlines only. Empty if anything failed for another reason, too. */
  readonly late: ReadonlyArray<Pick<RunPart, "title" | "file" | "pattern">>
}

interface Tally {
  readonly passed: number
  readonly failed: number
  /** The titles of the failed tests, each with its reason. */
  readonly failures: ReadonlyArray<string>
  /** The titles of the skipped tests. */
  readonly skipped: ReadonlyArray<string>
}

/**
 * @param isBroken whether a surrounding group is broken; its tests that did not run count as failed, although
 * Vitest reports them as skipped
 */
const tally = (group: Pick<RunGroup, "isBroken" | "tests" | "groups">, isBroken = false): Tally => {
  const broken = isBroken || group.isBroken
  const inner = group.groups.map((one) => tally(one, broken))
  const ended = (...states: ReadonlyArray<RunTest["state"]>) =>
    group.tests.filter(({ state }) => states.includes(state))
  const failed = inner.reduce(
    (sum, one) => sum + one.failed,
    ended("failed", "pending", ...(broken ? (["skipped"] as const) : [])).length
  )
  return {
    passed: inner.reduce((sum, one) => sum + one.passed, ended("passed").length),
    // A broken file or group counts as at least one failure, even if it has no tests or all of them passed.
    failed: group.isBroken ? Math.max(1, failed) : failed,
    failures: [
      ...ended("failed", "pending").map(({ reason = "did not end", title }) => `${title}: ${reason}`),
      ...inner.flatMap((one) => one.failures)
    ],
    skipped: [
      ...(broken ? [] : ended("skipped").map(({ title }) => title)),
      ...inner.flatMap((one) => one.skipped)
    ]
  }
}

/** Everything that failed. A broken group stands for all of its tests. */
const failedParts = (group: RunGroup): ReadonlyArray<RunPart> => {
  const inner = [
    ...group.tests.filter(({ state }) => state === "failed" || state === "pending"),
    ...group.groups.flatMap(failedParts)
  ]
  return group.isBroken ? [{ ...group, isLate: group.isLate && inner.every(({ isLate }) => isLate) }] : inner
}

/**
 * The last lines of a run: `skipped: <title>` for each, the lines of tests that did not simply pass (`failed: <title>: <reason>`,
 * `flaky: <title>`), then `N passed, N failed, N skipped`.
 */
export const lastLines = (
  { failed, passed, skipped }: Pick<RunResult, "passed" | "failed" | "skipped">,
  others: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...skipped.map((title) => `skipped: ${title}`),
  ...others,
  `${passed} passed, ${failed} failed, ${skipped.length} skipped`
]

/** @param faults how many errors there were outside of all tests, such as a process that ended */
export const resultOf = (files: ReadonlyArray<RunGroup>, faults: number): RunResult => {
  const { failures, passed, skipped, ...tests } = tally({ isBroken: false, tests: [], groups: files })
  const counts = { passed, failed: tests.failed + faults, skipped }
  const all = files.flatMap(failedParts)
  const isLate = faults === 0 && all.every((part) => part.isLate)
  return {
    ...counts,
    lines: lastLines(
      counts,
      failures.map((failure) => `failed: ${failure}`)
    ),
    late: isLate ? all.map(({ file, pattern, title }) => ({ title, file, pattern })) : []
  }
}

/**
 * Whether an error says that the time of a test or a wait was over: of Vitest (a test, a hook, `expect.poll`), Effect, Playwright, `fetch`
 * or `eventually`. No assertion throws such an error.
 */
export const isDeadline = ({ message, name = "" }: Pick<Error, "message"> & Partial<Pick<Error, "name">>) =>
  /^(?:\(FiberFailure\) )?Timeout(?:Error|Exception)$/.test(name) ||
  /^(?:Test|Hook) timed out in \d+ms\./.test(message) ||
  message === "Matcher did not succeed in time."

/** Whether the group did not run to its end, for example because its process ended. */
const unfinished = (group: TestModule | TestSuite) => ["queued", "pending"].includes(group.state())

const escaped = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&")

const partOf = (
  part: TestCase | TestModule | TestSuite,
  errors: ReadonlyArray<{ readonly name?: string; readonly message: string }> = []
): RunPart => {
  const file = relative(process.cwd(), (part.type === "module" ? part : part.module).moduleId)
  const names = namesOf(part)
  return {
    title: names.length === 0 ? file : `${file}: ${names.join(" > ")}`,
    file,
    pattern: names.length === 0 ? "" : `^${escaped(names.join(" "))}${part.type === "test" ? "$" : " "}`,
    isLate: errors.length > 0 && errors.every(isDeadline)
  }
}

/** The names of the groups around it, and its own. */
const namesOf = (part: TestCase | TestModule | TestSuite): ReadonlyArray<string> =>
  part.type === "module" ? [] : [...namesOf(part.parent), part.name]

const groupOf = (group: TestModule | TestSuite): RunGroup => ({
  ...partOf(group, group.errors()),
  isBroken: group.errors().length > 0 || (group.children.size === 0 && unfinished(group)),
  tests: [...group.children.tests()].map((test) => {
    const { errors = [], state } = test.result()
    return { ...partOf(test, errors), state, reason: errors[0]?.message.split("\n")[0] }
  }),
  groups: [...group.children.suites()].map(groupOf)
})

/**
 * Writes the summary to standard output and, where `SUMMARY_FILE` names one, into a file. `RESULT_FILE` names a file for the result of a
 * whole run: not one that was cut short (`--bail`), nor one of many (`--watch`).
 */
export default class Summary implements Reporter {
  #watches = false

  onInit({ config }: Vitest): void {
    this.#watches = config.watch
  }

  onTestRunEnd(
    modules: ReadonlyArray<TestModule>,
    faults: ReadonlyArray<unknown>,
    reason: TestRunEndReason
  ): void {
    const result = resultOf(modules.map(groupOf), faults.length)
    const text = `${result.lines.join("\n")}\n`
    process.stdout.write(`\n${text}`)
    const { RESULT_FILE: resultFile, SUMMARY_FILE: summaryFile } = process.env
    if (summaryFile !== undefined) writeFileSync(summaryFile, text)
    if (resultFile === undefined || reason === "interrupted" || this.#watches) return
    writeFileSync(resultFile, JSON.stringify(result))
  }
}
