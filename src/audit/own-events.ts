import { LRUCache } from "lru-cache"
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
  /** By company. Only a new event renews an entry: reads use `peek`. */
  readonly #events = new LRUCache<string, OwnEvent>({ max: remembered })

  /** Oldest first. */
  get all(): ReadonlyArray<OwnEvent> {
    return [...this.#events.rvalues()].filter((event) => event !== undefined)
  }

  remember(event: OwnEvent): void {
    if (!isHead(event)) return
    // The database's replies may arrive in a different order from its commits.
    if ((this.#events.peek(event.companyId)?.position ?? 0) >= event.position) return
    this.#events.set(event.companyId, event)
  }

  /** Forgets these events, which have been anchored. */
  forget(events: ReadonlyArray<OwnEvent>): void {
    for (const event of events)
      if (this.#events.peek(event.companyId) === event) this.#events.delete(event.companyId)
  }
}
