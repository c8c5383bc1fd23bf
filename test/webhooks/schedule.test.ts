import { describe, expect, it } from "vitest"
import { webhookUrl } from "../../src/webhooks/model.ts"
import { mostAttempts, nextDelay } from "../../src/webhooks/schedule-model.ts"

const now = Date.parse("2026-11-20T10:00:00Z")
const middle = { now, random: 0.5 }

describe("The schedule (contract.md#webhook-schedule)", () => {
  it("is 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h after each failure, and then ends", () => {
    const delays = Array.from({ length: mostAttempts }, (_, at) => nextDelay({ ...middle, tries: at + 1 }))
    expect(delays.map((delay) => delay && delay / 1000)).toStrictEqual([
      5,
      300,
      1_800,
      ...[2, 5, 10, 14, 20, 24].map((hours) => hours * 3_600),
      undefined
    ])
    expect(mostAttempts).toBe(10)
  })

  it("varies by 20 percent in each direction", () => {
    expect(nextDelay({ now, random: 0, tries: 1 })).toBe(4_000)
    expect(nextDelay({ now, random: 1, tries: 1 })).toBe(6_000)
  })

  it.each([
    ["7", 7_000],
    ["0", 5_000],
    ["10", 10_000],
    ["999999999999999", 10_000],
    ["-7", 5_000],
    ["Infinity", 5_000],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 5_000],
    ["soon", 5_000],
    ["Fri, 20 Nov 2026 10:00:08 GMT", 8_000],
    ["Fri, 20 Nov 2026 09:00:00 GMT", 5_000],
    ["Fri, 31 Dec 9999 23:59:59 GMT", 10_000]
  ])("Retry-After: %s stays between its own time and twice that", (retryAfter, delay) => {
    expect(nextDelay({ ...middle, tries: 1, retryAfter })).toBe(delay)
  })
})

describe("The URL of an endpoint", () => {
  it.each([
    ["https://example.com", "https://example.com/"],
    ["HTTPS://Example.com:443/ä", "https://example.com/%C3%A4"],
    ["http://localhost:8080/", "http://localhost:8080/"],
    ["https://example.com/a@b", "https://example.com/a@b"],
    ["ftp://example.com/", undefined],
    ["example.com", undefined],
    ["https://", undefined],
    ["https://user@example.com/", undefined],
    ["https://user:password@example.com/", undefined],
    ["https://@example.com/", undefined],
    ["https://example.com/#fragment", undefined],
    ["https://example.com/a b", undefined],
    ["https://example.com\\@evil.test/", undefined],
    ["https://example.com/\r\nx: y", undefined],
    [`https://example.com/${"a".repeat(2_048)}`, undefined]
  ])("%s", (text, canonical) => {
    expect(webhookUrl(text)).toBe(canonical)
  })
})
