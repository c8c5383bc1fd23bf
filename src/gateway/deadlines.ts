/** Something that must not wait for ever. */
export interface Waiting {
  /** On the clock of `performance.now`; infinite while somebody else watches the time. */
  deadline: number
  readonly late: () => void
}

/** Milliseconds by which a deadline is met late, at most. */
const grain = 50

/** The deadlines of all calls, looked at together: a timer for each, set anew with every chunk, would cost more. */
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
    for (const waiting of this.#waiting) if (now >= waiting.deadline) waiting.late()
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }
}
