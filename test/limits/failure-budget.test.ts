import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { failureBudget, perAddress } from "../../src/limits/failure-budget.ts"

/** A budget on a clock that the test moves. */
const onClock = (burst: number, perMinute: number) => {
  let now = 0
  const budget = failureBudget(burst, perMinute, () => now)
  return {
    budget,
    pass: (milliseconds: number) => {
      now += milliseconds
    }
  }
}

const spendAll = (spend: (key: string) => number, key: string, times: number) => {
  for (let i = 0; i < times; i++) expect(spend(key)).toBe(0)
}

describe("A budget of failures (contract.md#protective-limits)", () => {
  it("lets a burst pass, then says how many seconds to wait", () => {
    const { budget } = onClock(3, 6)
    spendAll(budget.spend, "a", 3)
    expect(budget.spend("a")).toBe(10)
    expect(budget.waitSeconds("a")).toBe(10)
  })

  it("reserves a part for those who may use it", () => {
    const { budget, pass } = onClock(5, 6)
    expect([budget.spend("a", 4), budget.spend("a", 4), budget.waitSeconds("a", 4)]).toEqual([0, 10, 10])
    spendAll(budget.spend, "a", 4)
    expect([budget.spend("a"), budget.spend("a", 4)]).toEqual([10, 50])
    // What is kept fills up first.
    pass(40_000)
    expect([budget.waitSeconds("a"), budget.spend("a", 4)]).toEqual([0, 10])
    pass(10_000)
    expect(budget.spend("a", 4)).toBe(0)
  })

  it("refills over time, up to the burst", () => {
    const { budget, pass } = onClock(3, 6)
    spendAll(budget.spend, "a", 3)
    pass(3_600_000)
    spendAll(budget.spend, "a", 3)
    expect(budget.spend("a")).toBe(10)
  })

  it("owes what other processes took when it was empty, so that nobody gains when they give it back", () => {
    const { budget } = onClock(3, 6)
    spendAll(budget.spend, "a", 3)
    for (let i = 0; i < 10; i++) {
      budget.change("a", -1)
      budget.change("a", 1)
      expect(budget.spend("a")).toBe(10)
    }
    budget.change("a", -1)
    expect(budget.waitSeconds("a")).toBe(20)
    budget.change("a", -1_000)
    expect(budget.waitSeconds("a")).toBe(40)
  })

  it("follows what other processes take and give back, and is never more than full", () => {
    const { budget } = onClock(3, 6)
    budget.change("a", -2)
    expect(budget.isFull()).toBe(false)
    spendAll(budget.spend, "a", 1)
    expect(budget.spend("a")).toBe(10)
    budget.change("a", 1)
    spendAll(budget.spend, "a", 1)
    budget.change("a", 9)
    expect(budget.isFull()).toBe(true)
    spendAll(budget.spend, "a", 3)
    expect(budget.spend("a")).toBe(10)
  })

  it("is full again when its last key is full, whichever key asks, and not before", () => {
    const { budget, pass } = onClock(3, 6)
    expect(budget.isFull()).toBe(true)
    spendAll(budget.spend, "a", 1)
    pass(5_000)
    spendAll(budget.spend, "b", 2)
    pass(19_999)
    expect(budget.isFull()).toBe(false)
    expect(budget.waitSeconds("a")).toBe(0)
    pass(2)
    expect(budget.isFull()).toBe(true)
    for (const key of ["a", "b"]) {
      spendAll(budget.spend, key, 3)
      expect(budget.spend(key)).toBe(10)
    }
    expect(budget.isFull()).toBe(false)
    // What is owed is waited for as well.
    budget.change("a", -1_000)
    pass(59_999)
    expect(budget.isFull()).toBe(false)
    pass(2)
    expect(budget.isFull()).toBe(true)
    // The last change is not the one that takes longest.
    spendAll(budget.spend, "b", 3)
    spendAll(budget.spend, "a", 1)
    pass(10_001)
    expect(budget.isFull()).toBe(false)
  })

  it("is not reduced by refused attempts", () => {
    const { budget, pass } = onClock(1, 60)
    spendAll(budget.spend, "a", 1)
    for (let i = 0; i < 100; i++) expect(budget.spend("a")).toBe(1)
    pass(1_000)
    expect(budget.spend("a")).toBe(0)
  })

  it("takes back successful attempts, up to the burst", () => {
    const { budget } = onClock(2, 60)
    for (let i = 0; i < 100; i++) {
      expect(budget.spend("a")).toBe(0)
      budget.refund("a")
    }
    budget.refund("a")
    spendAll(budget.spend, "a", 2)
    expect(budget.spend("a")).toBe(1)
  })

  it("lets no more pass than burst and rate allow, in any order of events", () => {
    const event = fc.oneof(fc.constant("spend" as const), fc.nat(30_000))
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200 }), (events) => {
        const { budget, pass } = onClock(5, 6)
        let elapsed = 0
        let passed = 0
        for (const happened of events) {
          if (happened !== "spend") {
            pass(happened)
            elapsed += happened
          } else if (budget.spend("a") === 0) passed++
        }
        expect(passed).toBeLessThanOrEqual(5 + elapsed / 10_000 + 1e-6)
      })
    )
  })

  it("a flood of keys neither grows the memory nor refills another key", () => {
    const { budget, pass } = onClock(3, 1)
    spendAll(budget.spend, "emptied", 3)
    spendAll(budget.spend, "touched first", 1)
    for (let i = 0; i < 19_998; i++) budget.spend(`flood ${i}`)
    const isForgotten = (key: string) => budget.waitSeconds(key, 2) === 0
    expect(["emptied", "touched first", "flood 19997"].filter(isForgotten)).toEqual([])
    budget.spend("one too many")
    // Of the fullest, those that have been there for the longest.
    expect(isForgotten("touched first")).toBe(true)
    expect(Array.from({ length: 19_998 }, (_, i) => `flood ${i}`).filter(isForgotten)).toHaveLength(1_999)
    for (let i = 0; i < 60_000; i++) budget.spend(`another ${i}`)
    expect(budget.spend("emptied")).toBe(60)
    pass(60_000)
    expect(budget.spend("emptied")).toBe(0)
  })
})

describe("Limits per address (contract.md#protective-limits)", () => {
  it("is shared by the /64 of an IPv6 address, in any notation", () => {
    const budget = perAddress(onClock(1, 6).budget)
    expect(budget.spend("2001:db8:1:2::1")).toBe(0)
    expect(budget.spend("2001:db8:1:2:ffff:ffff:ffff:ffff")).toBe(10)
    expect(budget.spend("2001:0DB8:0001:0002:0:0:0:9")).toBe(10)
    expect(budget.spend("2001:db8:1:3::1")).toBe(0)
    expect(budget.spend("2001:db8::")).toBe(0)
    expect(budget.spend("2001:db8:0:0:1::")).toBe(10)
  })

  it.each(["127.0.0.1", "127.9.8.7", "::1"])("%s is exempt", (address) => {
    const budget = perAddress(onClock(1, 6).budget)
    for (let i = 0; i < 10; i++) expect(budget.spend(address)).toBe(0)
    expect(budget.waitSeconds(address)).toBe(0)
  })

  it.each(["203.0.113.1", "10.0.0.1", "128.0.0.1", "2001:db8::1", ""])("%j is not", (address) => {
    const budget = perAddress(onClock(1, 6).budget)
    expect(budget.spend(address)).toBe(0)
    expect(budget.spend(address)).toBe(10)
    expect(budget.waitSeconds(address)).toBe(10)
    budget.refund(address)
    expect(budget.spend(address)).toBe(0)
  })
})
