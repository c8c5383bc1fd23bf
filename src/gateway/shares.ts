import { Counts } from "../shared/counts.ts"

export interface Caller {
  /** The calling company, whichever key or subscription it uses. */
  readonly subscriberId: string
  readonly publisherId: string
}

/** Beyond one connection each, a publisher's subscribers may together hold this many times the free ones. */
const publisherPart = 3

/**
 * Counts the connections of each caller, and decides who may use another. Idle connections belong to no
 * caller. A connection cannot be taken back from a slow call, so some must stay free: beyond a first
 * connection, a subscriber gets another only under both conditions:
 *
 * - It holds fewer connections than are free. So one greedy subscriber gets half of all connections, and
 *   n of them leave as many free as each of them holds.
 * - Its publisher's subscribers together, beyond one each, hold fewer than three times the free connections.
 *   So publishers that share an upstream leave room for each other, however many subscribers one has.
 */
export class Shares {
  #free: number
  readonly #bySubscriber = new Counts()
  /** The connections of each subscriber, and the total beyond one each. */
  readonly #byPublisher = new Map<string, { readonly held: Counts; more: number }>()

  constructor(total: number) {
    this.#free = total
  }

  /** Whether the caller may use another connection. */
  permits({ publisherId, subscriberId }: Caller): boolean {
    const held = this.#bySubscriber.of(subscriberId)
    if (held >= this.#free) return false
    const ofPublisher = this.#byPublisher.get(publisherId)
    if (ofPublisher === undefined || held === 0) return true
    return ofPublisher.more < publisherPart * this.#free
  }

  take({ publisherId, subscriberId }: Caller): void {
    this.#free--
    let ofPublisher = this.#byPublisher.get(publisherId)
    if (ofPublisher === undefined) {
      ofPublisher = { held: new Counts(), more: 0 }
      this.#byPublisher.set(publisherId, ofPublisher)
    }
    if (ofPublisher.held.add(subscriberId, 1) > 1) ofPublisher.more++
    this.#bySubscriber.add(subscriberId, 1)
  }

  giveBack({ publisherId, subscriberId }: Caller): void {
    this.#free++
    this.#bySubscriber.add(subscriberId, -1)
    const ofPublisher = this.#byPublisher.get(publisherId)
    if (ofPublisher === undefined) return
    if (ofPublisher.held.add(subscriberId, -1) > 0) ofPublisher.more--
    if (ofPublisher.held.size === 0) this.#byPublisher.delete(publisherId)
  }
}
