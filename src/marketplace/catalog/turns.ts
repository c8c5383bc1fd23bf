interface Waiting<A> {
  readonly item: A
  readonly size: number
}

/** Things that wait, taken in turns: whoever has many waiting holds up nobody who has one. */
export class Turns<A> {
  /** By owner, and the owner whose turn is next comes first. */
  private readonly waiting = new Map<string, Array<Waiting<A>>>()

  private readonly sizes = new Map<string, number>()

  /** The sizes of all that wait, together. */
  size = 0

  /** The sizes of the owner's that wait, together. */
  of(owner: string): number {
    return this.sizes.get(owner) ?? 0
  }

  add(owner: string, item: A, size: number): void {
    const items = this.waiting.get(owner)
    if (items === undefined) this.waiting.set(owner, [{ item, size }])
    else items.push({ item, size })
    this.count(owner, size)
  }

  /** The first of the owner whose turn it is; that owner then comes last. */
  next(): A | undefined {
    for (const [owner, items] of this.waiting) {
      const first = items.shift()
      this.waiting.delete(owner)
      if (items.length > 0) this.waiting.set(owner, items)
      this.count(owner, -(first?.size ?? 0))
      return first?.item
    }
    return undefined
  }

  remove(owner: string, item: A): void {
    const items = this.waiting.get(owner) ?? []
    const at = items.findIndex((one) => one.item === item)
    const [removed] = at < 0 ? [] : items.splice(at, 1)
    if (items.length === 0) this.waiting.delete(owner)
    this.count(owner, -(removed?.size ?? 0))
  }

  private count(owner: string, size: number): void {
    this.size += size
    const own = this.of(owner) + size
    if (own === 0) this.sizes.delete(owner)
    else this.sizes.set(owner, own)
  }
}
