import { rm } from "node:fs/promises"
import { Effect } from "effect"
import type { DataKey } from "../../secrets/data-keys.ts"
import { openedFile, sealFile } from "../../secrets/sealed-file.ts"
import { attempt, FileStore, type StoreFailed } from "./store.ts"

/** The file store as the service uses it: contents are sealed on their way in, and opened on their way out. */
export const sealedStore = Effect.map(FileStore, (store) => ({
  /** Seals the local file at `path` by the session's key and stores it. The local file stays. As durable as the store. */
  put: (key: DataKey, name: string, path: string): Effect.Effect<void, StoreFailed> => {
    const sealed = `${path}.sealed`
    return attempt("Sealing a file", () => sealFile(key, name, path, sealed)).pipe(
      Effect.zipRight(store.put(name, sealed)),
      // The store on disk has moved it.
      Effect.ensuring(Effect.promise(() => rm(sealed, { force: true })))
    )
  },

  /** The content from its first byte. Fails if there is none, or if it does not open. @param sealed false: it may also be plain */
  get: (
    key: DataKey,
    name: string,
    sealed: boolean
  ): Effect.Effect<ReadableStream<Uint8Array>, StoreFailed> =>
    Effect.flatMap(store.get(name), (stored) =>
      attempt("Opening a sealed file", () => openedFile(key, name, stored, !sealed))
    ),

  remove: store.remove
}))
