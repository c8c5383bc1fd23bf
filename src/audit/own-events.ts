import { type EventPlace, isHead } from "./chain-model.ts"

/** Maximum number of companies for which the last event is remembered. */
const remembered = 10_000

/** An event that this process has written and committed. */
interface OwnEvent extends EventPlace {
  readonly isSealed: boolean
}

/**
 * The last event that this process has written and committed for each company, whatever the database says about it later. Above
 * `remembered` companies, it forgets the one with the oldest event.
 */
export class OwnEvents {
  /** By company, newest last. */
  readonly #events = new Map<string, OwnEvent>()

  get all(): ReadonlyArray<OwnEvent> {
    return [...this.#events.values()]
  }

  remember(event: OwnEvent): void {
    if (!isHead(event)) return
    // The database's replies may arrive in a different order from its commits.
    if ((this.#events.get(event.companyId)?.position ?? 0) >= event.position) return
    this.#events.delete(event.companyId)
    this.#events.set(event.companyId, event)
    for (const oldest of this.#events.keys()) {
      if (this.#events.size <= remembered) break
      this.#events.delete(oldest)
    }
  }

  /** Forgets these events, which have been anchored. */
  forget(events: ReadonlyArray<OwnEvent>): void {
    for (const event of events)
      if (this.#events.get(event.companyId) === event) this.#events.delete(event.companyId)
  }
}
