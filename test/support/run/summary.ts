/**
 * The end of a run: the names of the skipped and failed tests, and how many tests passed, failed and were
 * skipped.
 */
import { writeFileSync } from "node:fs"
import { relative } from "node:path"
import type { Reporter, TestModule, TestSuite } from "vitest/node"

/** A test and its result. A test whose process ended first is pending. */
export interface RunTest {
  readonly title: string
  readonly state: "passed" | "failed" | "skipped" | "pending"
  /** Why it failed. */
  readonly reason?: string | undefined
}

/** A file, or a group of tests in a file. */
export interface RunGroup {
  /**
   * Whether the file or group itself failed: it could not be loaded, or its hooks before or after the tests
   * failed.
   */
  readonly isBroken: boolean
  readonly tests: ReadonlyArray<RunTest>
  readonly groups: ReadonlyArray<RunGroup>
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
const tally = (group: RunGroup, isBroken = false): Tally => {
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

/**
 * The last lines of a run: `skipped: <title>` and `failed: <title>: <reason>` for each, then `N passed, N failed, N skipped`.
 *
 * @param faults how many errors there were outside of all tests, such as a process that ended
 */
export const summaryOf = (files: ReadonlyArray<RunGroup>, faults: number): ReadonlyArray<string> => {
  const { failed, failures, passed, skipped } = tally({ isBroken: false, tests: [], groups: files })
  return [
    ...skipped.map((title) => `skipped: ${title}`),
    ...failures.map((failure) => `failed: ${failure}`),
    `${passed} passed, ${failed + faults} failed, ${skipped.length} skipped`
  ]
}

/** Whether the group did not run to its end, for example because its process ended. */
const unfinished = (group: TestModule | TestSuite) => ["queued", "pending"].includes(group.state())

const groupOf = (group: TestModule | TestSuite): RunGroup => ({
  isBroken: group.errors().length > 0 || (group.children.size === 0 && unfinished(group)),
  tests: [...group.children.tests()].map((test) => ({
    title: `${relative(process.cwd(), test.module.moduleId)}: ${test.fullName}`,
    state: test.result().state,
    reason: test.result().errors?.[0]?.message.split("\n")[0]
  })),
  groups: [...group.children.suites()].map(groupOf)
})

/** Writes the summary to standard output and, where `SUMMARY_FILE` names one, into a file. */
export default class Summary implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, faults: ReadonlyArray<unknown>): void {
    const lines = `${summaryOf(modules.map(groupOf), faults.length).join("\n")}\n`
    process.stdout.write(`\n${lines}`)
    const file = process.env.SUMMARY_FILE
    if (file !== undefined) writeFileSync(file, lines)
  }
}
