import * as Data from "effect/Data"

/** Too many failures from one place; another attempt is let pass after that many seconds. */
export class TooManyRequests extends Data.TaggedError("TooManyRequests")<{
  readonly retryAfterSeconds: number
}> {}
