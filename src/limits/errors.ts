import { Data } from "effect"

/** A limit of attempts or failures is reached. Another attempt is allowed after `retryAfterSeconds`. */
export class TooManyRequests extends Data.TaggedError("TooManyRequests")<{
  readonly retryAfterSeconds: number
}> {}
