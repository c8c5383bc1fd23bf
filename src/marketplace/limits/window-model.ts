/** Milliseconds of the window in which a plan's requests per minute are counted. */
export const windowMillis = 60_000

/** Milliseconds of a slot: how exactly the window knows when a request came. */
export const slotMillis = 250

/** Those of a whole window, and the one that has begun. */
export const slotCount = windowMillis / slotMillis + 1

const slotOf = (now: number): number => Math.floor(now / slotMillis)

/** When requests of a slot no longer count. */
const endOf = (slot: number): number => (slot + slotCount) * slotMillis

/**
 * Requests of the last minute, in slots: a sliding window. In no 60 seconds, wherever they begin, are there
 * more than the limit. GCRA and token buckets, which go by two numbers, let nearly twice as many through in
 * a minute: a burst, and what has refilled since. A request counts for 60 to 60.25 seconds, and taking one
 * makes no garbage.
 */
export class SlidingWindow {
  readonly #counts = new Uint32Array(slotCount)
  /** The newest slot seen, and the oldest that has requests. */
  #newest = 0
  #oldest = 0
  #sum = 0

  /** Requests that count at `now`, in milliseconds since 1970. */
  used(now: number): number {
    this.#advance(slotOf(now))
    return this.#sum
  }

  /** Milliseconds until one that counts no longer does; 0 when there is none. */
  wait(now: number): number {
    this.#advance(slotOf(now))
    return this.#sum === 0 ? 0 : Math.max(0, endOf(this.#oldest) - now)
  }

  /** Counts one more. */
  add(now: number): void {
    this.#advance(slotOf(now))
    if (this.#sum === 0) this.#oldest = this.#newest
    const place = this.#newest % slotCount
    this.#counts[place] = (this.#counts[place] ?? 0) + 1
    this.#sum++
  }

  #advance(slot: number): void {
    if (slot > this.#newest) {
      this.#newest = slot
    } else if (slot < this.#newest - slotCount) {
      // The clock was set back. What counts now would count until it is where it was.
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
