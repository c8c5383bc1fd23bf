interface Entry<A> {
  readonly value: A
  readonly size: number
}

/** Values by key, of so many bytes in all; those kept first go first. */
export class Kept<A> {
  private readonly entries = new Map<string, Entry<A>>()
  private readonly maxSize: number
  private size = 0

  constructor(maxSize: number) {
    this.maxSize = maxSize
  }

  get(key: string): A | undefined {
    return this.entries.get(key)?.value
  }

  keep(key: string, value: A, size: number): void {
    this.forget(key)
    this.entries.set(key, { value, size })
    this.size += size
    for (const oldest of this.entries.keys()) {
      if (this.size <= this.maxSize) break
      this.forget(oldest)
    }
  }

  private forget(key: string): void {
    this.size -= this.entries.get(key)?.size ?? 0
    this.entries.delete(key)
  }
}
