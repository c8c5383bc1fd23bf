import { describe, expect, it } from "vitest"
import { collecting } from "../../src/workers/budget-changes.ts"

describe("budget changes between workers", () => {
  it("are summed by budget and key, and sent once", () => {
    const { add, take } = collecting(10)
    add("sign-in", "a", -1)
    add("sign-in", "a", -1)
    add("sign-in", "b", -1)
    add("sign-up", "a", -1)
    add("sign-in", "b", 1)
    expect(take()).toEqual([
      ["sign-in", "a", -2],
      ["sign-up", "a", -1]
    ])
    expect(take()).toEqual([])
  })

  it("have a maximum size, however many addresses there are; changes that are already included continue", () => {
    const { add, take } = collecting(3)
    for (let i = 0; i < 1_000; i++) {
      add("keys", `203.0.113.${i}`, -1)
      add("keys", "203.0.113.0", -1)
    }
    expect(take()).toEqual([
      ["keys", "203.0.113.0", -1_001],
      ["keys", "203.0.113.1", -1],
      ["keys", "203.0.113.2", -1]
    ])
    add("keys", "203.0.113.3", -1)
    expect(take()).toEqual([["keys", "203.0.113.3", -1]])
  })
})
