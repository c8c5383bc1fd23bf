import { Context, Data, Effect } from "effect"
import { messageOf } from "../../shared/error.ts"

/** An operation of the file store failed. */
export class StoreFailed extends Data.TaggedError("StoreFailed")<{
  readonly message: string
  readonly cause: unknown
}> {}

/** A stored content is not the one that was sealed. */
export class ContentChanged extends Data.TaggedError("ContentChanged")<{
  readonly message: string
  readonly cause: unknown
}> {}

/** Stores the contents of files by id. */
export class FileStore extends Context.Tag("FileStore")<
  FileStore,
  {
    /**
     * Takes over the local file at `path`. After success the content is complete and durable; after a failure
     * it cannot be read, and `remove` deletes any remains.
     */
    readonly put: (id: string, path: string) => Effect.Effect<void, StoreFailed>
    /** The content from its first byte; fails if there is none. */
    readonly get: (id: string) => Effect.Effect<ReadableStream<Uint8Array>, StoreFailed>
    /** Deletes the content, if it exists. */
    readonly remove: (id: string) => Effect.Effect<void, StoreFailed>
  }
>() {}

/** Runs an adapter's action. `what` names the action in the log if it fails. The signal aborts when the effect is interrupted. */
export const attempt = <A>(
  what: string,
  action: (signal: AbortSignal) => Promise<A>
): Effect.Effect<A, StoreFailed> =>
  Effect.tryPromise({
    try: action,
    catch: (cause) => new StoreFailed({ message: `${what} failed: ${messageOf(cause)}`, cause })
  })
