import * as Data from "effect/Data"

/** The embedded database cannot be started. The message is one sentence that says what to do about it. */
export class EmbeddedPostgresError extends Data.TaggedError("EmbeddedPostgresError")<{
  readonly message: string
  /** Whether it is because another process uses the folder. */
  readonly inUse?: boolean
  readonly cause?: unknown
}> {}
