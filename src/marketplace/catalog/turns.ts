/** Things that wait, taken in turns: whoever has many waiting holds up nobody who has one. */
export class Turns<A> {
  /** By owner, and the owner whose turn is next comes first. */
  private readonly waiting = new Map<string, Array<A>>()

  /** How many of the owner's wait. */
  of(owner: string): number {
    return this.waiting.get(owner)?.length ?? 0
  }

  /** How many wait in all. */
  get size(): number {
    let all = 0
    for (const { length } of this.waiting.values()) all += length
    return all
  }

  add(owner: string, item: A): void {
    const items = this.waiting.get(owner)
    if (items === undefined) this.waiting.set(owner, [item])
    else items.push(item)
  }

  /** The first of the owner whose turn it is; that owner then comes last. */
  next(): A | undefined {
    for (const [owner, items] of this.waiting) {
      const item = items.shift()
      this.waiting.delete(owner)
      if (items.length > 0) this.waiting.set(owner, items)
      return item
    }
    return undefined
  }

  remove(owner: string, item: A): void {
    const items = this.waiting.get(owner)?.filter((one) => one !== item) ?? []
    if (items.length === 0) this.waiting.delete(owner)
    else this.waiting.set(owner, items)
  }
}
