import { LRUCache } from "lru-cache"
import { type EventPlace, isHead } from "./chain-model.ts"

const remembered = 10_000

interface OwnEvent extends EventPlace {
  readonly isSealed: boolean
}

/** Each company's last event, whatever the database says later. Forgets the oldest above `remembered`. */
export class OwnEvents {
  /** By company. Only a new event renews an entry: reads use `peek`. */
  readonly #events = new LRUCache<string, OwnEvent>({ max: remembered })

  /** Oldest first. */
  get all(): ReadonlyArray<OwnEvent> {
    return [...this.#events.rvalues()].filter((event) => event !== undefined)
  }

  remember(event: OwnEvent): void {
    if (!isHead(event)) return
    // Replies may arrive in a different order from commits.
    if ((this.#events.peek(event.companyId)?.position ?? 0) >= event.position) return
    this.#events.set(event.companyId, event)
  }

  forget(events: ReadonlyArray<OwnEvent>): void {
    for (const event of events)
      if (this.#events.peek(event.companyId) === event) this.#events.delete(event.companyId)
  }
}
