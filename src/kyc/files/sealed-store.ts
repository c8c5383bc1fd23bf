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
    name: string,
    sealed: boolean
  ): Effect.Effect<ReadableStream<Uint8Array>, StoreFailed | ContentChanged> =>
    Effect.flatMap(store.get(name), (stored) =>
      Effect.tryPromise({
        try: () => openedFile(key, name, stored, !sealed),
        catch: (cause) =>
          new ContentChanged({ message: `Opening a sealed file failed: ${messageOf(cause)}`, cause })
      })
    )

  const put = (key: DataKey, name: string, content: ReadableStream<Uint8Array>, path: string) =>
    attempt("Sealing a file", (signal) => sealFile(key, name, content, path, signal)).pipe(
      Effect.zipRight(store.put(name, path)),
      // The store on disk has moved it.
      Effect.ensuring(Effect.promise(() => rm(path, { force: true })))
    )

  return {
    /** The content from its first byte. Fails with `StoreFailed` if there is none, with `ContentChanged` if it does not open. @param sealed false: it may also be plain */
    get,

    /** Seals the local file at `path` by the session's key and stores it. The local file stays. */
    put: (key: DataKey, name: string, path: string): Effect.Effect<void, StoreFailed> =>
      Effect.suspend(() => put(key, name, Bun.file(path).stream(), `${path}.sealed`)),

    /** Seals what an earlier version stored without sealing it; nothing changes if it is sealed. @param path for a local file meanwhile */
    seal: (key: DataKey, name: string, path: string): Effect.Effect<void, StoreFailed | ContentChanged> =>
      Effect.flatMap(get(key, name, false), (content) => put(key, name, content, path)),

    remove: store.remove
  }
})
