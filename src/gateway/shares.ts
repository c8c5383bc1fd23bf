import { Counts } from "../counts.ts"

/** On whose behalf a connection is used. */
export interface Caller {
  /** The company that calls, whichever of its keys and subscriptions it uses. */
  readonly subscriberId: string
  /** The publisher of the API that is called. */
  readonly publisherId: string
}

/** How many times what is free the subscribers of one publisher may hold together, beyond a first connection each. */
const publisherPart = 3

/**
 * Who uses how many of the connections to one upstream, and who may use another. Nothing can be taken back from a slow call, so
 * something must be left for whoever comes next. A subscriber therefore gets another connection only
 *
 * - while it holds fewer than are free: one that takes all it can get holds half, two hold a third each, n hold as much each as
 *   they leave for the next;
 * - while the subscribers of the publisher together, beyond a first one each, hold fewer than three times what is free: so that
 *   publishers whose APIs share an upstream leave room for each other, however many subscribers one of them has, and whichever
 *   of them comes first.
 *
 * Both permit a subscriber its first connection for as long as one is free.
 */
export class Shares {
  readonly #bySubscriber = new Counts()
  /** The connections of each subscriber by the publisher whose API it calls, and how many these are beyond a first one each. */
  readonly #byPublisher = new Map<string, { readonly held: Counts; more: number }>()

  /** Whether the caller may use another connection, of which so many are `free`. */
  permits({ publisherId, subscriberId }: Caller, free: number): boolean {
    const held = this.#bySubscriber.of(subscriberId)
    if (held >= free) return false
    const ofPublisher = this.#byPublisher.get(publisherId)
    // A first connection is nobody's to refuse while one is free.
    if (ofPublisher === undefined || held === 0) return true
    return ofPublisher.more < publisherPart * free
  }

  take({ publisherId, subscriberId }: Caller): void {
    let ofPublisher = this.#byPublisher.get(publisherId)
    if (ofPublisher === undefined) {
      ofPublisher = { held: new Counts(), more: 0 }
      this.#byPublisher.set(publisherId, ofPublisher)
    }
    if (ofPublisher.held.add(subscriberId, 1) > 1) ofPublisher.more++
    this.#bySubscriber.add(subscriberId, 1)
  }

  giveBack({ publisherId, subscriberId }: Caller): void {
    this.#bySubscriber.add(subscriberId, -1)
    const ofPublisher = this.#byPublisher.get(publisherId)
    if (ofPublisher === undefined) return
    if (ofPublisher.held.add(subscriberId, -1) > 0) ofPublisher.more--
    if (ofPublisher.held.size === 0) this.#byPublisher.delete(publisherId)
  }
}
