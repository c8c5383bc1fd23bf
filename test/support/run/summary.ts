/** The end of a run: what was skipped and what failed, by name, and how many tests passed, failed and were skipped. */
import { writeFileSync } from "node:fs"
import { relative } from "node:path"
import type { Reporter, TestModule, TestSuite } from "vitest/node"

/** A test, and how it ended. One whose process ended before it did is pending. */
export interface RunTest {
  readonly title: string
  readonly state: "passed" | "failed" | "skipped" | "pending"
  /** Why it failed. */
  readonly reason?: string | undefined
}

/** A file, or a group of tests in it. */
export interface RunGroup {
  /** Whether it failed by itself: it could not be loaded, or what it does before or after its tests failed. */
  readonly isBroken: boolean
  readonly tests: ReadonlyArray<RunTest>
  readonly groups: ReadonlyArray<RunGroup>
}

interface Tally {
  readonly passed: number
  readonly failed: number
  /** Titles of the tests that failed, each with its reason. */
  readonly failures: ReadonlyArray<string>
  /** Titles. */
  readonly skipped: ReadonlyArray<string>
}

/** @param isBroken whether a group around it is broken: tests that did not run for it are no skipped tests, though they are called so */
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
    // One that has no tests to fail, or whose tests had all passed, has failed itself.
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

/** What a group is called before its file has been run to its end, as one stays whose process ended. */
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
