/** A number for each key. A key whose number is 0 takes no memory. */
export class Counts {
  readonly #counts = new Map<string, number>()

  of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  /** How many keys have a number. */
  get size(): number {
    return this.#counts.size
  }

  /** @returns the key's new number */
  add(key: string, change: 1 | -1): number {
    const count = this.of(key) + change
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
    return count
  }
}
