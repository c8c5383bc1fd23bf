/** Milliseconds of the window that counts a plan's requests per minute. */
export const windowMillis = 60_000

/** Milliseconds of a slot: the precision with which the window records the time of a request. */
export const slotMillis = 250

/** The slots of a whole window, plus the current one. */
export const slotCount = windowMillis / slotMillis + 1

const slotOf = (now: number): number => Math.floor(now / slotMillis)

/** When the requests of a slot stop counting. */
const endOf = (slot: number): number => (slot + slotCount) * slotMillis

/**
 * The requests of the last minute, in slots. No 60 seconds have more than the limit, while GCRA and token
 * buckets allow nearly twice as many: a burst, and its refill. A request counts for 60 to 60.25 seconds.
 */
export class SlidingWindow {
  readonly #counts = new Uint32Array(slotCount)
  /** The newest slot seen, and the oldest slot with requests. */
  #newest = 0
  #oldest = 0
  #sum = 0

  /** Requests that count at `now`, in milliseconds since 1970. */
  used(now: number): number {
    this.#advance(slotOf(now))
    return this.#sum
  }

  /** Milliseconds until the oldest counted request stops counting; 0 if none is counted. */
  wait(now: number): number {
    this.#advance(slotOf(now))
    return this.#sum === 0 ? 0 : Math.max(0, endOf(this.#oldest) - now)
  }

  /** Counts one request. */
  add(now: number): void {
    this.#advance(slotOf(now))
    if (this.#sum === 0) this.#oldest = this.#newest
    const place = this.#newest % slotCount
    this.#counts[place] = (this.#counts[place] ?? 0) + 1
    this.#sum++
  }

  /** Counts as many requests more as `sum` lacks. */
  atLeast(now: number, sum: number): void {
    const lacking = sum - this.used(now)
    for (let i = 0; i < lacking; i++) this.add(now)
  }

  #advance(slot: number): void {
    if (slot > this.#newest) {
      this.#newest = slot
    } else if (slot < this.#newest - slotCount) {
      // The clock was set back. Otherwise the current requests would count until the clock catches up.
      this.#counts.fill(0)
      this.#sum = 0
      this.#newest = slot
    }
    const last = this.#newest - slotCount
    while (this.#sum > 0) {
      const place = this.#oldest % slotCount
      const count = this.#counts[place] ?? 0
      if (count > 0 && this.#oldest > last) return
      this.#sum -= count
      this.#counts[place] = 0
      this.#oldest++
    }
  }
}
