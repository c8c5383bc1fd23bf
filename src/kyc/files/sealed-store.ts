import { rm } from "node:fs/promises"
import { Effect } from "effect"
import type { DataKey } from "../../secrets/data-keys.ts"
import { openedFile, sealFile } from "../../secrets/sealed-file.ts"
import { messageOf } from "../../shared/error.ts"
import { attempt, ContentChanged, FileStore, type StoreFailed } from "./store.ts"

/** The file store as the service uses it: contents are sealed on their way in, and opened on their way out. */
export const sealedStore = Effect.map(FileStore, (store) => {
  const get = (
    key: DataKey,
    name: string
  ): Effect.Effect<ReadableStream<Uint8Array>, StoreFailed | ContentChanged> =>
    Effect.flatMap(store.get(name), (stored) =>
      Effect.tryPromise({
        try: () => openedFile(key, name, stored),
        catch: (cause) =>
          new ContentChanged({ message: `Opening a sealed file failed: ${messageOf(cause)}`, cause })
      })
    )

  return {
    /** The content from its first byte. Fails with `StoreFailed` if there is none, with `ContentChanged` if it does not open. */
    get,

    /** Seals the local file at `path` by the session's key and stores it. The local file stays. */
    put: (key: DataKey, name: string, path: string): Effect.Effect<void, StoreFailed> =>
      Effect.suspend(() => {
        const sealed = `${path}.sealed`
        return attempt("Sealing a file", (signal) =>
          sealFile(key, name, Bun.file(path).stream(), sealed, signal)
        ).pipe(
          Effect.zipRight(store.put(name, sealed)),
          // The store on disk has moved it.
          Effect.ensuring(Effect.promise(() => rm(sealed, { force: true })))
        )
      }),

    remove: store.remove
  }
})
