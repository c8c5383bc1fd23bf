/** Checks that the summary never looks better than the run was. */
import { Cause, Effect } from "effect"
import { errors } from "playwright-core"
import { expect, it } from "vitest"
import { within } from "../eventually.ts"
import { isDeadline, type RunGroup, type RunTest, resultOf } from "./summary.ts"

const part = { title: "", file: "a.test.ts", pattern: "", isLate: false }

const test = (title: string, state: RunTest["state"]): RunTest => ({ ...part, title, state })

const group = (given: Partial<RunGroup>): RunGroup => ({
  ...part,
  isBroken: false,
  tests: [],
  groups: [],
  ...given
})

it("counts tests, and names those that were skipped or failed", () => {
  const file = group({
    tests: [test("a", "passed"), { ...test("b", "failed"), reason: "expected 1 to be 2" }],
    groups: [group({ tests: [test("c", "skipped"), test("d", "passed")] })]
  })
  expect(resultOf([file, group({ tests: [test("e", "skipped")] })], 0).lines).toEqual([
    "skipped: c",
    "skipped: e",
    "failed: b: expected 1 to be 2",
    "2 passed, 1 failed, 2 skipped"
  ])
})

it("counts tests of a group that could not start as failed, those of inner groups too", () => {
  const inner = group({ tests: [test("b", "skipped")] })
  const broken = group({ isBroken: true, tests: [test("a", "skipped")], groups: [inner] })
  expect(resultOf([group({ tests: [test("c", "passed")], groups: [broken] })], 0).lines).toEqual([
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
  expect(resultOf([file], 0).lines).toEqual(lines)
})

it("counts errors outside of tests as failed", () => {
  expect(resultOf([group({ tests: [test("a", "passed")] })], 2).lines).toEqual([
    "1 passed, 2 failed, 0 skipped"
  ])
})

const lateTest = { ...test("late", "failed"), isLate: true }

it.each([
  ["a failed assertion", group({ tests: [test("a", "failed")] }), 0],
  ["an error outside of tests", group({}), 1],
  ["a test whose process ended", group({ tests: [test("a", "pending")] }), 0],
  ["a file that cannot be loaded", group({ isBroken: true }), 0],
  [
    "a failed assertion in a group that a deadline broke",
    group({ isBroken: true, isLate: true, tests: [test("a", "failed")] }),
    0
  ]
])("lets no deadline have a second attempt beside %s", (_, other, faults) => {
  expect(resultOf([group({ tests: [lateTest] })], 0).late).toEqual([
    { title: "late", file: "a.test.ts", pattern: "" }
  ])
  expect(resultOf([group({ tests: [lateTest] }), other], faults).late).toEqual([])
})

it("lets a group that a deadline broke have its second attempt as a whole", () => {
  const broken = group({ title: "group", isBroken: true, isLate: true, tests: [lateTest] })
  expect(resultOf([group({ groups: [broken] })], 0).late).toEqual([
    { title: "group", file: "a.test.ts", pattern: "" }
  ])
})

const never = new Promise<never>(() => {})

const endless = async () => {
  await using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => never })
  return await fetch(server.url, { signal: AbortSignal.timeout(20) })
}

/** As @effect/vitest reports the failure of a test. */
const reported = <E>(failing: Effect.Effect<unknown, E>) =>
  Effect.runPromise(Effect.flip(Effect.sandbox(failing))).then((cause) => {
    throw Cause.prettyErrors(cause)[0]
  })

it.each<[string, () => PromiseLike<unknown>]>([
  ["expect.poll", () => expect.poll(() => 1, { timeout: 20 }).toBe(2)],
  ["eventually", () => reported(within(20, "never", Effect.succeed(false)))],
  ["a look of eventually", () => reported(within(20, "never", Effect.never))],
  ["an effect", () => reported(Effect.timeout(Effect.never, 20))],
  ["an effect in a promise", () => Effect.runPromise(Effect.timeout(Effect.never, 20))],
  ["a request", endless],
  ["a request in an effect", () => reported(Effect.promise(endless))],
  ["a browser", () => Promise.reject(new errors.TimeoutError("locator.click: Timeout 20ms exceeded."))],
  ["a test", () => Promise.reject(new Error("Test timed out in 20ms.\nIf this is a long-running test, …"))]
])("recognizes the deadline of %s", async (_, late) => {
  expect(
    isDeadline(
      await late().then(
        () => new Error("It ended in time"),
        (error: Error) => error
      )
    )
  ).toBe(true)
})

it.each<[string, () => PromiseLike<unknown>]>([
  ["a failed assertion", async () => expect("Timeout").toBe("TimeoutError")],
  ["one in an effect", () => reported(Effect.sync(() => expect(1).toBe(2)))],
  ["an error about time", () => reported(Effect.fail(new Error("Test timed out")))]
])("takes %s for no deadline", async (_, wrong) => {
  expect(
    isDeadline(
      await wrong().then(
        () => new Error("It passed"),
        (error: Error) => error
      )
    )
  ).toBe(false)
})
