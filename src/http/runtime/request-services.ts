/** A request's services on top of the shared ones, which a plain map would copy for every request. */
export class RequestServices extends Map<string, unknown> {
  readonly #shared: ReadonlyMap<string, unknown>

  /** @param shared not copied; must not change later */
  constructor(shared: ReadonlyMap<string, unknown>) {
    super()
    this.#shared = shared
  }

  override get(key: string): unknown {
    const own = super.get(key)
    return own === undefined ? this.#shared.get(key) : own
  }

  override has(key: string): boolean {
    return super.has(key) || this.#shared.has(key)
  }

  override get size(): number {
    return this.#all().size
  }

  override keys() {
    return this.#all().keys()
  }

  override values() {
    return this.#all().values()
  }

  override entries() {
    return this.#all().entries()
  }

  override [Symbol.iterator]() {
    return this.#all().entries()
  }

  override forEach(callback: (value: unknown, key: string, map: Map<string, unknown>) => void): void {
    this.#all().forEach(callback)
  }

  #all(): Map<string, unknown> {
    return new Map([...this.#shared, ...super.entries()])
  }
}
