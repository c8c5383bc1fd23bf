/** Checks that the summary never looks better than the run was. */
import { expect, it } from "vitest"
import { type RunGroup, type RunTest, summaryOf } from "./summary.ts"

const test = (title: string, state: RunTest["state"]): RunTest => ({ title, state })

const group = (given: Partial<RunGroup>): RunGroup => ({ isBroken: false, tests: [], groups: [], ...given })

it("counts tests, and names those that were skipped or failed", () => {
  const file = group({
    tests: [test("a", "passed"), { ...test("b", "failed"), reason: "expected 1 to be 2" }],
    groups: [group({ tests: [test("c", "skipped"), test("d", "passed")] })]
  })
  expect(summaryOf([file, group({ tests: [test("e", "skipped")] })], 0)).toEqual([
    "skipped: c",
    "skipped: e",
    "failed: b: expected 1 to be 2",
    "2 passed, 1 failed, 2 skipped"
  ])
})

it("counts tests of a group that could not start as failed, those of inner groups too", () => {
  const inner = group({ tests: [test("b", "skipped")] })
  const broken = group({ isBroken: true, tests: [test("a", "skipped")], groups: [inner] })
  expect(summaryOf([group({ tests: [test("c", "passed")], groups: [broken] })], 0)).toEqual([
    "1 passed, 2 failed, 0 skipped"
  ])
})

it.each([
  ["a file that cannot be loaded", group({ isBroken: true }), ["0 passed, 1 failed, 0 skipped"]],
  [
    "a group whose end fails",
    group({ groups: [group({ isBroken: true, tests: [test("a", "passed")] })] }),
    ["1 passed, 1 failed, 0 skipped"]
  ],
  [
    "tests under way when their process ended",
    group({ tests: [test("a", "passed"), test("b", "pending"), test("c", "pending")] }),
    ["failed: b: did not end", "failed: c: did not end", "1 passed, 2 failed, 0 skipped"]
  ]
])("counts %s as failed", (_, file, lines) => {
  expect(summaryOf([file], 0)).toEqual(lines)
})

it("counts errors outside of tests as failed", () => {
  expect(summaryOf([group({ tests: [test("a", "passed")] })], 2)).toEqual(["1 passed, 2 failed, 0 skipped"])
})
