/** The end of a run: what was skipped, by name, and how many tests passed, failed and were skipped. */
import { relative } from "node:path"
import type { Reporter, TestCase, TestModule } from "vitest/node"

export default class Summary implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const tests: ReadonlyArray<TestCase> = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    // A file that cannot be loaded has no tests to fail.
    const broken = modules.filter((module) => module.errors().length > 0).length
    const lines = tests
      .filter((test) => test.result().state === "skipped")
      .map((test) => `skipped: ${relative(process.cwd(), test.module.moduleId)}: ${test.fullName}`)
    lines.push(`${count("passed")} passed, ${count("failed") + broken} failed, ${count("skipped")} skipped`)
    process.stdout.write(`\n${lines.join("\n")}\n`)
  }
}
