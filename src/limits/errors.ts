import * as Data from "effect/Data"

/** Too many failures from one place; another try is taken after that many seconds. */
export class TooManyRequests extends Data.TaggedError("TooManyRequests")<{
  readonly retryAfterSeconds: number
}> {}
