import { describe, expect, it } from "vitest"
import { arrivals } from "../../src/http/arrivals.ts"

describe("bytes held of bodies without a credential", () => {
  it("300 logins of 16 KiB from as many addresses are held, and no more than that", () => {
    const { take } = arrivals(300 * 16_384, 16_384)
    for (let i = 0; i < 300; i++) expect(take(`203.0.${Math.floor(i / 200)}.${i % 200}`, 16_384)).toBe(true)
    expect(take("198.51.100.1", 1)).toBe(false)
  })

  it("one address, or one IPv6 /64, holds its share and leaves the others theirs", () => {
    const { giveBack, take } = arrivals(100, 40)
    expect([take("2001:db8::1", 30), take("2001:db8::2", 30), take("2001:db8::2", 10)]).toEqual([
      true,
      false,
      true
    ])
    expect(take("2001:db8:0:1::1", 40)).toBe(true)
    giveBack("2001:db8::1", 30)
    expect(take("2001:db8::3", 30)).toBe(true)
  })

  it("loopback, behind which anybody may be, has all that is left", () => {
    const { giveBack, take } = arrivals(100, 40)
    expect([take("203.0.113.1", 40), take("127.0.0.1", 60), take("127.0.0.1", 1)]).toEqual([
      true,
      true,
      false
    ])
    giveBack("127.0.0.1", 60)
    expect(take("198.51.100.1", 40)).toBe(true)
  })

  it("what is refused is not counted", () => {
    const { take } = arrivals(100, 40)
    for (let i = 0; i < 10; i++) expect(take("203.0.113.1", 41)).toBe(false)
    expect(take("203.0.113.1", 40)).toBe(true)
  })
})
