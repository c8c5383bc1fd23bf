import { Context } from "effect"

/** A monotonic clock in milliseconds for the deadlines of connected calls. */
export class DeadlineClock extends Context.Reference<DeadlineClock>()("doorlock/gateway/DeadlineClock", {
  defaultValue: () => (): number => performance.now()
}) {}

/** Something with a deadline. */
export interface Waiting {
  /** Milliseconds it may wait for the next event; infinite while another component enforces a timeout. */
  patience: number
  /** When a look first found it waiting, on the `DeadlineClock`; reset to infinity by each event. */
  since: number
  /** Its index in the list of all waiting. */
  place: number
  /** Called when a look first finds it waiting. */
  readonly waits: () => void
  readonly late: () => void
}

/** Milliseconds between looks. A deadline fires at most two looks late. */
const grain = 25

/**
 * The deadlines of all calls, checked together at each look: a timer per call, reset with every chunk, would cost more. An event does not
 * read the clock either; the timeout starts at the next look.
 */
export class Deadlines {
  // Not a Set: adding each call to one and removing it took a sixth of the call's time (docs/performance.md).
  readonly #waiting: Array<Waiting> = []
  readonly #now: () => number
  #timer: Timer | undefined

  constructor(now: () => number) {
    this.#now = now
  }

  add(waiting: Waiting): void {
    waiting.place = this.#waiting.push(waiting) - 1
    this.#timer ??= setInterval(() => this.#look(), grain)
  }

  /** Removes an entry by moving the last one into its place. */
  delete(waiting: Waiting): void {
    const last = this.#waiting.at(-1)
    if (last === undefined || this.#waiting[waiting.place] !== waiting) return
    this.#waiting[waiting.place] = last
    last.place = waiting.place
    this.#waiting.pop()
  }

  #look(): void {
    const now = this.#now()
    // From the end: an entry deleted during the loop is replaced by one already checked.
    for (let place = this.#waiting.length - 1; place >= 0; place--) {
      const waiting = this.#waiting[place]
      if (waiting === undefined) continue
      if (waiting.since > now) {
        waiting.since = now
        waiting.waits()
      } else if (now - waiting.since >= waiting.patience) waiting.late()
    }
    if (this.#waiting.length === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }
}
