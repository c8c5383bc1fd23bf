/** The model of `bun run bench growth`: that it computes what was computed by hand, and what was measured. */
import { describe, expect, it } from "@effect/vitest"
import { constants, type Figures, type Load, lineThrough, needs, peak, usable, valueAt } from "./model.ts"

/** Round figures, with which one computes in one's head. */
const figures: Figures = {
  sessionBytes: 2_000,
  sessionIndexBytes: 800,
  fileBytes: 0,
  usageBytes: 100,
  auditBytes: 100,
  eventBytes: 1_000,
  walBytes: 10_000,
  transactions: 5,
  serviceMicros: 1_000,
  postgresMicros: 2_000,
  callMicros: 50,
  redisMicros: 25,
  changeSeconds: { fixed: 0.001, each: 0.0001 }
}

const billion: Load = { sessions: 1e9, calls: 1e6, keys: 1e6 }
const nothing: Load = { sessions: 0, calls: 0, keys: 0 }

describe("what a load needs", () => {
  it("is as computed by hand for a billion sessions and a million calls a second", () => {
    const needed = needs(figures, billion)
    expect(needed.sessionBytes).toBe(2e12)
    expect(needed.indexBytes).toBe(0.8e12)
    expect(needed.usageBytes).toBe(1e6 * 365 * constants.outcomes * 100)
    expect(needed.bytes).toBe(needed.sessionBytes + needed.auditBytes + needed.eventBytes + needed.usageBytes)
    expect(needed.walADay).toBeCloseTo(1e13 / 365)
    expect(needed.sessionsAtPeak).toBeCloseTo((peak * 1e9) / 31_536_000)
    expect(needed.postgresCores).toBeCloseTo((needed.sessionsAtPeak * 0.002) / usable)
    // 50 s of CPU time a second, with half of each core in use.
    expect(needed.gatewayProcesses).toBe(100)
    expect(needed.redisShards).toBe(50)
    expect(needed.connections).toBe(needed.apiProcesses * 12 + 100 * 6)
    // A process caches a key in fifty; all of them together cache each key.
    expect(needed.misses).toBeCloseTo(0.98e6)
    expect(needed.missesBalanced).toBe(0)
    expect(needed.indexMinutes).toBe(50)
    expect(needed.changes).toBeCloseTo(1 / (0.001 + (needed.apiProcesses + 100) * 0.0001))
  })

  it("grows with the load, and time runs out sooner", () => {
    const small = needs(figures, { sessions: 1e6, calls: 1e3, keys: 1e3 })
    const large = needs(figures, billion)
    for (const name of [
      "bytes",
      "walADay",
      "postgresCores",
      "gatewayProcesses",
      "redisShards",
      "usageRows"
    ] as const)
      expect(large[name], name).toBeGreaterThan(small[name])
    for (const name of ["changes", "freezeDays", "stopDays"] as const)
      expect(large[name], name).toBeLessThan(small[name])
    expect(large.usageRowsBalanced).toBeLessThan(large.usageRows)
  })

  it("is finite without sessions, calls and keys, and needs no process of a kind that serves nothing", () => {
    const needed = needs(figures, nothing)
    for (const [name, value] of Object.entries(needed)) expect(Number.isFinite(value), name).toBe(true)
    expect(needed).toMatchObject({ bytes: 0, apiProcesses: 0, gatewayProcesses: 0, misses: 0, usageRows: 0 })
    expect(needs(figures, { ...nothing, sessions: 1 }).apiProcesses).toBe(2)
  })
})

describe("a line", () => {
  it("goes through its points, and on", () => {
    const line = lineThrough({ count: 1_000, value: 3_000 }, { count: 3_000, value: 7_000 })
    expect(line).toEqual({ fixed: 1_000, each: 2 })
    expect(valueAt(line, 1_000_000)).toBe(2_001_000)
  })
})
