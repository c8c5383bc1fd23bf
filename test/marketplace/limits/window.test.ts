/** The sliding window, the calendar and the header fields: pure rules, with a clock of the test's own. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { limitField, longestRetry, policyField, retryAfter } from "../../../src/marketplace/limits/model.ts"
import { SlidingWindow, slotMillis, windowMillis } from "../../../src/marketplace/limits/window-model.ts"
import { beginOf, dayOf, monthOf, readDay, writeDay } from "../../../src/marketplace/usage/calendar-model.ts"

const start = Date.UTC(2026, 10, 20, 10, 0, 0)

/** Takes one when there is room. */
const take = (window: SlidingWindow, limit: number, now: number): boolean => {
  if (window.used(now) >= limit) return false
  window.add(now)
  return true
}

const waits = fc.array(
  fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 400 }),
    fc.integer({ min: 0, max: 5_000 }),
    fc.integer({ min: 0, max: 200_000 })
  ),
  { minLength: 1, maxLength: 400 }
)

describe("the sliding window", () => {
  it("never lets more than the limit through in any 60 seconds, and refuses only while it is used up", () => {
    fc.assert(
      fc.property(waits, fc.integer({ min: 1, max: 40 }), (steps, limit) => {
        const window = new SlidingWindow()
        const admitted: Array<number> = []
        let now = start
        for (const step of steps) {
          now += step
          const recent = admitted.filter((at) => now - at < windowMillis).length
          const counted = admitted.filter((at) => now - at < windowMillis + slotMillis).length
          if (take(window, limit, now)) {
            admitted.push(now)
            expect(recent).toBeLessThan(limit)
          } else {
            expect(counted).toBeGreaterThanOrEqual(limit)
          }
        }
      }),
      { numRuns: 500 }
    )
  })

  it("has room again after the stated wait, and not before", () => {
    fc.assert(
      fc.property(waits, fc.integer({ min: 1, max: 40 }), (steps, limit) => {
        const window = new SlidingWindow()
        let now = start
        for (const step of steps) {
          now += step
          if (take(window, limit, now)) continue
          const wait = window.wait(now)
          expect(wait).toBeGreaterThan(0)
          expect(wait).toBeLessThanOrEqual(windowMillis + slotMillis)
          expect(window.used(now + wait - 1)).toBe(limit)
          now += wait
          expect(window.used(now)).toBeLessThan(limit)
        }
      }),
      { numRuns: 500 }
    )
  })

  it("a burst does not refill little by little", () => {
    const window = new SlidingWindow()
    for (let i = 0; i < 100; i++) take(window, 100, start)
    for (let at = start; at < start + windowMillis; at += 100) expect(take(window, 100, at)).toBe(false)
    expect(take(window, 100, start + windowMillis + slotMillis)).toBe(true)
  })

  it("a clock set back by an hour does not cause refusals for an hour", () => {
    const window = new SlidingWindow()
    for (let i = 0; i < 10; i++) take(window, 10, start)
    expect(take(window, 10, start - 1)).toBe(false)
    expect(take(window, 10, start - 3_600_000)).toBe(true)
    expect(window.used(start - 3_600_000)).toBe(1)
  })
})

describe("the calendar", () => {
  const months: ReadonlyArray<readonly [string, string, string, number]> = [
    ["2026-02-28", "2026-02-01", "2026-03-01", 28],
    ["2028-02-29", "2028-02-01", "2028-03-01", 29],
    ["2100-02-28", "2100-02-01", "2100-03-01", 28],
    ["2026-12-31", "2026-12-01", "2027-01-01", 31],
    ["0001-01-01", "0001-01-01", "0001-02-01", 31]
  ]
  it.each(months)("%s is in the month from %s to before %s, of %i days", (day, first, end, length) => {
    const month = monthOf(readDay(day) ?? Number.NaN)
    expect([writeDay(month.first), writeDay(month.end), month.end - month.first]).toEqual([
      first,
      end,
      length
    ])
  })

  it("a month ends at midnight UTC, even in time zones with daylight saving", () => {
    expect(dayOf(Date.UTC(2026, 2, 31, 23, 59, 59, 999))).toBe(readDay("2026-03-31"))
    expect(dayOf(Date.UTC(2026, 3, 1))).toBe(readDay("2026-04-01"))
    expect(beginOf(monthOf(readDay("2026-03-29") ?? 0).end)).toBe(Date.UTC(2026, 3, 1))
  })

  it("every day is read back as it was written", () => {
    fc.assert(
      fc.property(fc.integer({ min: readDay("0001-01-01") ?? 0, max: readDay("9999-12-31") ?? 0 }), (day) => {
        expect(readDay(writeDay(day))).toBe(day)
        const { end, first } = monthOf(day)
        expect(first <= day && day < end).toBe(true)
      })
    )
  })
})

describe("the header fields", () => {
  const count = fc.integer({ min: 0, max: 2_000 })
  const standing = fc.record({
    inMinute: count,
    inMonth: count,
    minuteWait: fc.integer({ min: 0, max: 60_250 }),
    monthWait: fc.integer({ min: 0, max: 31 * 86_400_000 })
  })

  it("are exactly as the draft writes them", () => {
    const plan = { requestsPerMinute: 60, requestsPerMonth: 10_000 }
    expect(policyField(plan, 30 * 86_400_000)).toBe('"minute";q=60;w=60, "month";q=10000;w=2592000')
    expect(limitField(plan, { inMinute: 1, inMonth: 12, minuteWait: 59_900, monthWait: 86_400_000 })).toBe(
      '"minute";r=59;t=60, "month";r=9988;t=86400'
    )
  })

  it("Retry-After is the wait in whole seconds: at least one, and at most a day", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("rate_limited" as const, "quota_exceeded" as const),
        standing,
        (over, stands) => {
          const seconds = retryAfter(over, stands)
          const t = Math.ceil((over === "quota_exceeded" ? stands.monthWait : stands.minuteWait) / 1000)
          expect(Number.isInteger(seconds)).toBe(true)
          expect(seconds).toBeGreaterThanOrEqual(1)
          expect(seconds).toBe(Math.min(longestRetry, Math.max(1, t)))
        }
      )
    )
  })
})
