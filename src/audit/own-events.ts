import { type EventPlace, isHead } from "./chain-model.ts"

/** Companies that are remembered. */
const remembered = 10_000

/** An event that this process has written and committed. */
interface OwnEvent extends EventPlace {
  readonly isSealed: boolean
}

/**
 * The last event of each company that this process has written and committed, of the companies that it has written of last: whatever
 * the database says of it later.
 */
export class OwnEvents {
  /** By company. What was remembered last comes last. */
  readonly #events = new Map<string, OwnEvent>()

  get all(): ReadonlyArray<OwnEvent> {
    return [...this.#events.values()]
  }

  remember(event: OwnEvent): void {
    if (!isHead(event)) return
    // The database's answers may come in another order than that in which it committed.
    if ((this.#events.get(event.companyId)?.position ?? 0) >= event.position) return
    this.#events.delete(event.companyId)
    this.#events.set(event.companyId, event)
    for (const oldest of this.#events.keys()) {
      if (this.#events.size <= remembered) break
      this.#events.delete(oldest)
    }
  }

  /** Forgets these, which somebody else remembers from now on. */
  forget(events: ReadonlyArray<OwnEvent>): void {
    for (const event of events)
      if (this.#events.get(event.companyId) === event) this.#events.delete(event.companyId)
  }
}
