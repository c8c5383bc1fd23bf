/** A counter per key. A count of 0 takes no memory. */
export class Counts {
  readonly #counts = new Map<string, number>()

  of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  get size(): number {
    return this.#counts.size
  }

  add(key: string, change: 1 | -1): number {
    const count = this.of(key) + change
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
    return count
  }
}
