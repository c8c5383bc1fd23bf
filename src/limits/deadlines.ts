import { Context } from "effect"
import type { Timer, Timing } from "../shared/timing.ts"

/** A monotonic clock in milliseconds. */
export class DeadlineClock extends Context.Reference<DeadlineClock>()("doorlock/limits/DeadlineClock", {
  defaultValue: () => (): number => performance.now()
}) {}

export interface Waiting {
  /** Milliseconds to wait for the next event; infinite while another component enforces a timeout. */
  timeout: number
  /** `DeadlineClock` time of the first check that found it waiting; reset to infinity by each event. */
  since: number
  /** Its index in the list of `Deadlines`. */
  place: number
  /** Called by the first check that finds it waiting. */
  readonly waits: () => void
  readonly late: () => void
}

/**
 * The deadlines of all calls or bodies, checked together: a timer for each, reset with every chunk, would cost more.
 * For the same reason events do not read the clock; the timeout starts at the next check.
 */
export class Deadlines {
  // Not a Set, which took a sixth of a call's time (docs/performance-experiments.md).
  readonly #waiting: Array<Waiting> = []
  readonly #now: () => number
  readonly #timing: Timing["Type"]
  #timer: Timer | undefined

  constructor(now: () => number, timing: Timing["Type"]) {
    this.#now = now
    this.#timing = timing
  }

  add(waiting: Waiting): void {
    waiting.place = this.#waiting.push(waiting) - 1
    this.#timer ??= this.#timing.every("limits.deadlines", () => this.#check())
  }

  /** Moves the last entry into the place of the deleted one. Returns whether there was such an entry. */
  delete(waiting: Waiting): boolean {
    const last = this.#waiting.at(-1)
    if (last === undefined || this.#waiting[waiting.place] !== waiting) return false
    this.#waiting[waiting.place] = last
    last.place = waiting.place
    this.#waiting.pop()
    return true
  }

  #check(): void {
    const now = this.#now()
    // Backwards: an entry deleted during the loop is replaced by one already checked.
    for (let place = this.#waiting.length - 1; place >= 0; place--) {
      const waiting = this.#waiting[place]
      if (waiting === undefined) continue
      if (waiting.since > now) {
        waiting.since = now
        waiting.waits()
      } else if (now - waiting.since >= waiting.timeout) waiting.late()
    }
    if (this.#waiting.length === 0) {
      this.#timer?.cancel()
      this.#timer = undefined
    }
  }
}
