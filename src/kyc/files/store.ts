import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** The store did not do what was asked of it. */
export class StoreFailed extends Data.TaggedError("StoreFailed")<{
  readonly message: string
  readonly cause: unknown
}> {}

/** Where the contents of files are kept, each under the id of its file. */
export class FileStore extends Context.Tag("FileStore")<
  FileStore,
  {
    /**
     * Takes over the content of the local file at `path`: whole and durable once this succeeds. After a failure
     * nothing of it can be read, and `remove` clears what may be left.
     */
    readonly put: (id: string, path: string) => Effect.Effect<void, StoreFailed>
    /** The content from its first byte; fails when there is none. */
    readonly get: (id: string) => Effect.Effect<ReadableStream<Uint8Array>, StoreFailed>
    /** Succeeds also when there is nothing to remove. */
    readonly remove: (id: string) => Effect.Effect<void, StoreFailed>
  }
>() {}

/** The action of an adapter; `what` it does is how its failure is named in the log. */
export const attempt = <A>(what: string, action: () => Promise<A>): Effect.Effect<A, StoreFailed> =>
  Effect.tryPromise({
    try: action,
    catch: (cause) =>
      new StoreFailed({
        message: `${what} failed: ${cause instanceof Error ? cause.message : cause}`,
        cause
      })
  })
