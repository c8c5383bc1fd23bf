/** When the rules of a workflow apply, which the page and the server must agree on. */
import { describe, expect, it } from "vitest"
import { applying, holds } from "../../../src/kyc/instances/rules-model.ts"
import type { Condition, Rule } from "../../../src/kyc/instances/workflow-model.ts"

const now = new Date("2026-11-20T10:00:00.000Z")

const answers: Readonly<Record<string, unknown>> = {
  a: { text: "EST", number: 7, day: "2008-11-20", yes: true, none: null, empty: "", deep: { er: 1 } }
}

const answersOf = (stepId: string) => answers[stepId]

const rows: ReadonlyArray<readonly [Condition, boolean]> = [
  [{ path: "a.text", op: "eq", value: "EST" }, true],
  [{ path: "a.text", op: "eq", value: "est" }, false],
  [{ path: "a.number", op: "eq", value: "7" }, false],
  [{ path: "a.yes", op: "eq", value: true }, true],
  [{ path: "a.deep.er", op: "eq", value: 1 }, true],
  [{ path: "a.toString.name", op: "exists" }, false],
  [{ path: "a.text", op: "ne", value: "LVA" }, true],
  [{ path: "a.text", op: "ne", value: "EST" }, false],
  [{ path: "a.absent", op: "ne", value: "EST" }, false],
  [{ path: "a.text", op: "in", value: ["LVA", "EST"] }, true],
  [{ path: "a.text", op: "in", value: [] }, false],
  [{ path: "a.text", op: "nin", value: ["LVA"] }, true],
  [{ path: "b.text", op: "nin", value: ["LVA"] }, false],
  [{ path: "a.number", op: "lt", value: 8 }, true],
  [{ path: "a.number", op: "lt", value: 7 }, false],
  [{ path: "a.number", op: "lt", value: "8" }, false],
  [{ path: "a.day", op: "lt", value: "2009-01-01" }, true],
  [{ path: "a.number", op: "gt", value: 6.5 }, true],
  [{ path: "a.day", op: "gt", value: "2009-01-01" }, false],
  [{ path: "a.absent", op: "gt", value: 0 }, false],
  [{ path: "a.text", op: "exists" }, true],
  [{ path: "a.none", op: "exists" }, false],
  [{ path: "a.empty", op: "exists", value: true }, false],
  [{ path: "b.text", op: "exists", value: false }, true],
  [{ path: "a.day", op: "ageLt", value: 18 }, false],
  [{ path: "a.day", op: "ageLt", value: 19 }, true],
  [{ path: "a.text", op: "ageLt", value: 150 }, false]
]

describe("holds", () => {
  it.each(rows)("%j: %s", (condition, expected) => {
    expect(holds(condition, answersOf, now)).toBe(expected)
  })

  it("ageLt counts a birthday from its beginning in UTC", () => {
    const condition: Condition = { path: "a.day", op: "ageLt", value: 18 }
    expect(holds(condition, answersOf, new Date("2026-11-19T23:59:59.999Z"))).toBe(true)
    expect(holds(condition, answersOf, new Date("2026-11-20T00:00:00.000Z"))).toBe(false)
  })
})

describe("applying", () => {
  it("applies the rules whose step is done, in their order", () => {
    const rule = (after: string, fail: string): Rule => ({
      after,
      if: { path: "a.text", op: "exists" },
      // biome-ignore lint/suspicious/noThenProperty: the word of the format; nothing awaits it.
      then: { fail }
    })
    const rules = [rule("b", "ONE"), rule("a", "TWO"), rule("a", "THREE")]
    expect(applying({ rules }, answersOf, now)).toStrictEqual(rules.slice(1))
  })
})
