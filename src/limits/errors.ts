import { Data } from "effect"

/** Too many failures from one client. Another attempt is allowed after `retryAfterSeconds`. */
export class TooManyRequests extends Data.TaggedError("TooManyRequests")<{
  readonly retryAfterSeconds: number
}> {}
