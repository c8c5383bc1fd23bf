import { Schema } from "effect"

/** A request to an endpoint. */
export interface Post {
  readonly endpointId: string
  readonly companyId: string
  readonly url: URL
  /** The whole message, head and body, one code unit per octet. */
  readonly message: string
}

/** How a request ended. */
export interface Attempt {
  readonly milliseconds: number
  /** Of the answer; null if there was none. */
  readonly status: number | null
  /** Why it failed, in words; null if it succeeded. */
  readonly reason: string | null
  /** The beginning of the answer's body; null without an answer, and of a 2xx. */
  readonly answer: string | null
  /** The header of a 429 or 503. */
  readonly retryAfter: string | undefined
  /** It failed because of doorlock, before anything was sent. */
  readonly isOurs: boolean
}

/** Names a round of a delivery; `at` is its `created_at`. The payload of its job. */
export const Round = Schema.Struct({ id: Schema.UUID, at: Schema.Date, round: Schema.Int })
export type Round = typeof Round.Type

/** An attempt that was made. */
export interface Attempted extends Round {
  readonly endpointId: string
  /** Of the endpoint when the attempt began. */
  readonly url: string
  readonly milliseconds: number
  readonly status: number | null
  /** Null if it succeeded. */
  readonly reason: string | null
  /** Sealed; null if nothing is kept. */
  readonly answer: string | null
  /** Milliseconds until the next attempt is due; null if there is none. */
  readonly nextAfter: number | null
  /** It was answered 410. */
  readonly gone: boolean
}
