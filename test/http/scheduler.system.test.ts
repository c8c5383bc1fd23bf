/** The order in which the fibers of requests run. */
import { describe, expect, it } from "@effect/vitest"
import { RequestScheduler } from "../../src/http/runtime/scheduler.ts"
import { patientTiming } from "../support/timing.ts"

describe("The scheduler of requests", () => {
  it("gives the event loop a turn while every task adds another one", async () => {
    const scheduler = new RequestScheduler(patientTiming)
    let isOver = false
    let tasks = 0
    const again = () => {
      tasks++
      if (!isOver && tasks < 1_000_000) scheduler.scheduleTask(again)
    }
    scheduler.scheduleTask(again)
    await new Promise((resolve) => setTimeout(resolve, 0))
    isOver = true
    expect(tasks).toBeLessThan(1_000_000)
  })

  it("runs the other tasks when one throws", async () => {
    const scheduler = new RequestScheduler(patientTiming)
    const errors: Array<unknown> = []
    const listeners = process.listeners("unhandledRejection")
    process.removeAllListeners("unhandledRejection")
    process.on("unhandledRejection", (error) => errors.push(error))
    try {
      const broken = new Error("broken")
      const seen: Array<number> = []
      scheduler.scheduleTask(() => {
        throw broken
      })
      scheduler.scheduleTask(() => seen.push(1))
      // More than a call can have arguments.
      let others = 0
      for (let n = 0; n < 1_000_000; n++) scheduler.scheduleTask(() => others++)
      await new Promise(setImmediate)
      scheduler.scheduleTask(() => seen.push(2))
      await new Promise(setImmediate)
      expect(seen).toEqual([1, 2])
      expect(others).toBe(1_000_000)
      expect(errors).toEqual([broken])
    } finally {
      process.removeAllListeners("unhandledRejection")
      for (const listener of listeners) process.on("unhandledRejection", listener)
    }
  })
})
