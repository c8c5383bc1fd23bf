import * as Context from "effect/Context"

/** The clock of all deadlines of calls once they are connected: milliseconds, and never set back. */
export class DeadlineClock extends Context.Reference<DeadlineClock>()("doorlock/gateway/DeadlineClock", {
  defaultValue: () => (): number => performance.now()
}) {}

/** Something that must not wait for ever. */
export interface Waiting {
  /** Milliseconds that it may wait for what comes next; infinite while somebody else watches the time. */
  patience: number
  /** Since when it has been seen to wait, on the `DeadlineClock`; infinite when something has happened since. */
  since: number
  /** Where it stands among all. */
  place: number
  /** It has been seen to wait, and will be looked after again. */
  readonly waits: () => void
  readonly late: () => void
}

/** Milliseconds between looks: a deadline is met late by two of them, at most. */
const grain = 25

/**
 * The deadlines of all calls, looked at together: a timer for each, set anew with every chunk, would cost more. Nor is the clock
 * read when something happens; the time begins at the next look.
 */
export class Deadlines {
  // Not a Set: putting every call into one, and taking it out again, cost a sixth of the call (docs/performance.md).
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

  /** The last takes its place. */
  delete(waiting: Waiting): void {
    const last = this.#waiting.at(-1)
    if (last === undefined || this.#waiting[waiting.place] !== waiting) return
    this.#waiting[waiting.place] = last
    last.place = waiting.place
    this.#waiting.pop()
  }

  #look(): void {
    const now = this.#now()
    // From the end: who leaves meanwhile is replaced by one that has been looked at.
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
