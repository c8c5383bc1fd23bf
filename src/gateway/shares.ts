import { Counts } from "../counts.ts"

/** The caller for which a connection is used. */
export interface Caller {
  /** The calling company, regardless of which key or subscription it uses. */
  readonly subscriberId: string
  /** The publisher of the called API. */
  readonly publisherId: string
}

/** One publisher's subscribers may together hold this many times the free connections, beyond a first connection each. */
const publisherPart = 3

/**
 * Counts the connections each caller uses out of a limited number, and decides who may use another. Idle connections belong to no caller.
 * A connection cannot be taken back from a slow call, so some must stay free for the next caller. A subscriber gets another connection
 * only while both hold:
 *
 * - It holds fewer connections than are free. One greedy subscriber therefore gets half of them and two get a third each; n get as many
 *   each as they leave free.
 * - Its publisher's subscribers together, beyond a first connection each, hold fewer than three times the free connections. Publishers
 *   that share an upstream therefore leave room for each other, however many subscribers one has and whichever comes first.
 *
 * Both rules allow a subscriber its first connection while one is free.
 */
export class Shares {
  #free: number
  readonly #bySubscriber = new Counts()
  /** By publisher: the connections of each of its subscribers, and the total beyond a first connection each. */
  readonly #byPublisher = new Map<string, { readonly held: Counts; more: number }>()

  /** @param total the number of connections to share */
  constructor(total: number) {
    this.#free = total
  }

  /** Whether the caller may use another connection. */
  permits({ publisherId, subscriberId }: Caller): boolean {
    const held = this.#bySubscriber.of(subscriberId)
    if (held >= this.#free) return false
    const ofPublisher = this.#byPublisher.get(publisherId)
    // A first connection is always allowed while one is free.
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
