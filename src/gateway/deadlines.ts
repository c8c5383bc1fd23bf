/** Something that must not wait for ever. */
export interface Waiting {
  /** Milliseconds that it may wait for what comes next; infinite while somebody else watches the time. */
  patience: number
  /** Since when it has been seen to wait, on the clock of `performance.now`; infinite when something has happened since. */
  since: number
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
  readonly #waiting = new Set<Waiting>()
  #timer: Timer | undefined

  add(waiting: Waiting): void {
    this.#waiting.add(waiting)
    this.#timer ??= setInterval(() => this.#look(), grain)
  }

  delete(waiting: Waiting): void {
    this.#waiting.delete(waiting)
  }

  #look(): void {
    const now = performance.now()
    for (const waiting of this.#waiting) {
      if (waiting.since > now) {
        waiting.since = now
        waiting.waits()
      } else if (now - waiting.since >= waiting.patience) waiting.late()
    }
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }
}
