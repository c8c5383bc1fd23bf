/** How the connections of an upstream are shared: whatever the others hold, there is room for who comes next. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { maxConnections } from "../../src/gateway/pool.ts"
import { type Caller, Shares } from "../../src/gateway/shares.ts"

/** Everybody takes, in turn, as many as they are permitted; how many each of them has in the end. */
const greed = (callers: ReadonlyArray<Caller>) => {
  const shares = new Shares(maxConnections)
  const held = callers.map(() => 0)
  let free = maxConnections
  for (let before = -1; before !== free; ) {
    before = free
    for (const [at, caller] of callers.entries()) {
      if (!shares.permits(caller)) continue
      shares.take(caller)
      held[at] = (held[at] ?? 0) + 1
      free--
    }
  }
  return { shares, held, free }
}

const subscribers = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ subscriberId: `acme ${at}`, publisherId: "acme" }))

const newcomer = { subscriberId: "new", publisherId: "acme" }

describe("subscribers that take all they can get", () => {
  it.each([
    [1, 256, 256],
    [2, 171, 170],
    [3, 128, 128],
    // Of one publisher: together three quarters.
    [10, 39, 125],
    [100, 5, 103]
  ])("%i: each has at most %i, and %i stay free", (count, most, left) => {
    const { free, held, shares } = greed(subscribers(count))
    expect([Math.max(...held), free]).toEqual([most, left])
    expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1)
    expect(shares.permits(newcomer)).toBe(true)
    expect(shares.permits({ ...newcomer, publisherId: "another" })).toBe(true)
  })
})

it.each([12, 40, 120])(
  "%i subscribers of one publisher, one after the other, have at most three quarters, beyond a first one each",
  (count) => {
    const shares = new Shares(maxConnections)
    let free = maxConnections
    for (const caller of subscribers(count)) {
      while (shares.permits(caller)) {
        shares.take(caller)
        free--
      }
    }
    // Beyond a first one each.
    expect(maxConnections - free - count).toBeLessThanOrEqual((3 / 4) * maxConnections)
    expect(shares.permits({ subscriberId: "other", publisherId: "another" })).toBe(true)
  }
)

it("while any is free, a subscriber without one gets it; returning all restores the initial state", () => {
  const someCaller = fc.record({
    subscriberId: fc.constantFrom("a", "b", "c", "d"),
    publisherId: fc.constantFrom("x", "y", "z")
  })
  fc.assert(
    fc.property(fc.array(someCaller, { maxLength: 300 }), fc.integer({ min: 1, max: 64 }), (asked, total) => {
      const shares = new Shares(total)
      const taken: Array<Caller> = []
      for (const caller of asked) {
        const free = total - taken.length
        const isNew = taken.every(({ subscriberId }) => subscriberId !== caller.subscriberId)
        const permitted = shares.permits(caller)
        if (isNew) expect(permitted).toBe(free > 0)
        if (!permitted) continue
        shares.take(caller)
        taken.push(caller)
      }
      for (const caller of taken) shares.giveBack(caller)
      expect(shares).toEqual(new Shares(total))
    })
  )
})
