import { describe, expect, it } from "vitest"
import { bodyBudget, type Holder } from "../../src/http/runtime/body-budget.ts"

/** Bodies by the names that a test gives them, and those that were dropped, in turn. */
const bodies = (inAll: number, perNetwork: number, free: number) => {
  const budget = bodyBudget(inAll, perNetwork, free)
  const dropped: Array<string> = []
  const beginFor = (holder: Holder, name: string) => budget.begin(holder, () => void dropped.push(name))
  return { begin: (address: string, name: string) => beginFor({ address }, name), beginFor, dropped }
}

/** An address in a new network. */
const ofNetwork = (i: number) => `198.${18 + Math.floor(i / 256)}.${i % 256}.1`

describe("bytes of bodies in memory", () => {
  it("300 small bodies: none counts, and none is dropped", () => {
    const { begin, dropped } = bodies(100, 50, 16_384)
    for (let i = 0; i < 300; i++) begin("203.0.113.1", `small ${i}`).hold(16_384)
    const larger = begin("203.0.113.1", "larger")
    larger.hold(16_384 + 50)
    expect(dropped).toEqual([])
    larger.hold(1)
    expect(dropped).toEqual(["larger"])
  })

  it("bytes that have not arrived do not count", () => {
    const { begin, dropped } = bodies(100, 100, 10)
    for (let i = 0; i < 300; i++) begin("203.0.113.1", `announced ${i}`)
    begin("203.0.113.1", "arrived").hold(110)
    expect(dropped).toEqual([])
  })

  it("a network that holds too much loses its largest body, from any of its addresses", () => {
    for (const [one, another, elsewhere] of [
      ["203.0.113.1", "203.0.113.200", "203.0.114.1"],
      ["2001:db8:1::1", "2001:db8:1:ffff::1", "2001:db8:2::1"]
    ] as const) {
      const { begin, dropped } = bodies(1_000, 100, 0)
      begin(elsewhere, "elsewhere").hold(100)
      begin(one, "small").hold(30)
      begin(another, "large").hold(50)
      begin(one, "small too").hold(30)
      expect(dropped).toEqual(["large"])
      const grows = begin(another, "grows")
      grows.hold(40)
      grows.hold(10)
      expect(dropped).toEqual(["large", "grows"])
      // What still comes of it is counted no longer.
      grows.hold(100)
      begin(one, "another").hold(40)
      expect(dropped).toEqual(["large", "grows"])
    }
  })

  it("when all together hold too much, the largest holder loses its largest body, and the new one is admitted", () => {
    const { begin, dropped } = bodies(300, 200, 0)
    for (let i = 0; i < 4; i++) begin("203.0.113.1", `most ${i}`).hold(30 + i)
    for (let i = 0; i < 14; i++) begin(ofNetwork(i), `other ${i}`).hold(11)
    begin("192.0.2.1", "comes").hold(60)
    expect(dropped).toEqual(["most 3", "most 2"])
  })

  it("300 bodies of 300 networks: a sign-in is admitted, and the oldest bodies make room", () => {
    const { begin, dropped } = bodies(64, 16, 0)
    for (let i = 0; i < 300; i++) begin(ofNetwork(i), `held ${i}`).hold(1)
    expect(dropped).toHaveLength(236)
    expect(dropped[0]).toBe("held 0")
    begin("192.0.2.1", "sign-in").hold(1)
    expect(dropped).toHaveLength(237)
    expect(dropped).not.toContain("sign-in")
  })

  it("a company has one share for all its addresses, and uses none of a network's", () => {
    const { begin, beginFor, dropped } = bodies(1_000, 100, 0)
    const ours = { companyId: "203.0.113" }
    beginFor(ours, "company's").hold(100)
    begin("203.0.113.1", "network's").hold(100)
    expect(dropped).toEqual([])
    beginFor(ours, "company's too").hold(1)
    expect(dropped).toEqual(["company's"])
  })

  it("loopback, which may stand for many clients, may hold all that is left", () => {
    const { begin, dropped } = bodies(100, 40, 0)
    begin("127.0.0.1", "first").hold(60)
    begin("127.0.0.1", "second").hold(40)
    expect(dropped).toEqual([])
    begin("203.0.113.1", "elsewhere").hold(40)
    expect(dropped).toEqual(["first"])
  })

  it("a body that is released twice, or dropped and released, makes room once", () => {
    const { begin, dropped } = bodies(100, 100, 0)
    const first = begin("203.0.113.1", "first")
    first.hold(60)
    begin("203.0.113.1", "second").hold(60)
    expect(dropped).toEqual(["first"])
    first.release()
    first.release()
    const third = begin("203.0.113.1", "third")
    third.hold(40)
    expect(dropped).toEqual(["first"])
    third.release()
    third.release()
    begin("203.0.113.1", "fourth").hold(40)
    expect(dropped).toEqual(["first"])
    begin("203.0.113.1", "fifth").hold(1)
    expect(dropped).toEqual(["first", "second"])
  })
})
