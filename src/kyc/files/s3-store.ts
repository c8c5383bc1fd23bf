import { Effect, Layer } from "effect"
import { type S3Settings, s3Client } from "../../shared/s3.ts"
import { attempt, FileStore } from "./store.ts"

/** How many files are sent to the bucket at once. Two parts of each are held in memory. */
const concurrentWrites = 4

const keyOf = (id: string) => `files/${id}`

/**
 * An object appears whole or not at all. Files above 5 MiB are sent in parts; if the process dies, parts stay
 * invisible until the bucket's lifecycle rule for incomplete uploads deletes them.
 */
export const layer = (settings: S3Settings): Layer.Layer<FileStore> =>
  Layer.sync(FileStore, () => {
    const client = s3Client(settings)
    const writers = Effect.unsafeMakeSemaphore(concurrentWrites)
    return {
      put: (id, path) =>
        attempt("Writing a file to S3", () => client.write(keyOf(id), Bun.file(path), { queueSize: 1 })).pipe(
          writers.withPermits(1)
        ),
      get: (id) =>
        attempt("Reading a file from S3", async () => {
          const object = client.file(keyOf(id))
          // A stream would only fail after the response has begun.
          if (!(await object.exists())) throw new Error(`${keyOf(id)} is not there`)
          return object.stream()
        }),
      remove: (id) => attempt("Removing a file from S3", () => client.delete(keyOf(id)))
    }
  })
