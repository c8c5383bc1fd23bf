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
 * - while all subscribers of the publisher, if each held as many as it does, would hold fewer than three times what is free: so
 *   that publishers whose APIs share an upstream leave room for each other, however many subscribers one of them has.
 *
 * Both permit a subscriber its first connection for as long as one is free.
 */
export class Shares {
  readonly #bySubscriber = new Map<string, number>()
  /** The connections of each subscriber by the publisher whose API it calls. */
  readonly #byPublisher = new Map<string, Map<string, number>>()

  /** Whether the caller may use another connection, of which so many are `free`. */
  permits({ publisherId, subscriberId }: Caller, free: number): boolean {
    const held = this.#bySubscriber.get(subscriberId) ?? 0
    if (held >= free) return false
    const others = this.#byPublisher.get(publisherId)
    return held * (others?.size ?? 0) < publisherPart * free
  }

  take({ publisherId, subscriberId }: Caller): void {
    let ofPublisher = this.#byPublisher.get(publisherId)
    if (ofPublisher === undefined) {
      ofPublisher = new Map()
      this.#byPublisher.set(publisherId, ofPublisher)
    }
    add(ofPublisher, subscriberId, 1)
    add(this.#bySubscriber, subscriberId, 1)
  }

  giveBack({ publisherId, subscriberId }: Caller): void {
    add(this.#bySubscriber, subscriberId, -1)
    const ofPublisher = this.#byPublisher.get(publisherId)
    if (ofPublisher === undefined) return
    add(ofPublisher, subscriberId, -1)
    if (ofPublisher.size === 0) this.#byPublisher.delete(publisherId)
  }
}

const add = (counts: Map<string, number>, id: string, change: number): void => {
  const count = (counts.get(id) ?? 0) + change
  if (count > 0) counts.set(id, count)
  else counts.delete(id)
}
