import { Data } from "effect"

/** The embedded database cannot start. The message is one sentence that says what to do about it. */
export class EmbeddedPostgresError extends Data.TaggedError("EmbeddedPostgresError")<{
  readonly message: string
  /** True if another process is using the folder. */
  readonly inUse?: boolean
  readonly cause?: unknown
}> {}

export const unusable = (message: string) => (cause: unknown) => new EmbeddedPostgresError({ message, cause })
