/**
 * What the fiber of a request finds around it: what the request brings, before what there is for all. A plain map would be a
 * copy of all services for each request, of which a handler asks for two or three.
 */
export class RequestServices extends Map<string, unknown> {
  readonly #shared: ReadonlyMap<string, unknown>

  /** @param shared not changed, and not copied: nothing may be added to it later */
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
    const all = new Map(this.#shared)
    super.forEach((value, key) => void all.set(key, value))
    return all
  }
}
