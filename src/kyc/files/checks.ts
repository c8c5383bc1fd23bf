import { randomBytes } from "node:crypto"
import { rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { type Check, type Finding, failed, reason, well } from "../../cli/check.ts"
import { newId } from "../../shared/identifier.ts"
import type { S3Settings } from "../../shared/s3.ts"
import { Timing } from "../../shared/timing.ts"
import * as s3Store from "./s3-store.ts"
import { FileStore, StoreFailed } from "./store.ts"

/** Whether a small file can be written to the bucket, read back and deleted. */
const findingOf = (settings: S3Settings): Effect.Effect<Finding> => {
  const found = Effect.gen(function* () {
    const store = yield* FileStore
    const content = randomBytes(32).toString("hex")
    const path = join(tmpdir(), `doorlock-doctor-${content.slice(0, 16)}`)
    const id = newId()
    yield* Effect.promise(() => writeFile(path, content, { flag: "wx", mode: 0o600 }))
    const read = yield* store.put(id, path).pipe(
      Effect.zipRight(store.get(id)),
      Effect.flatMap((stream) => Effect.promise(() => new Response(stream).text())),
      Effect.ensuring(Effect.promise(() => rm(path, { force: true }))),
      Effect.tap(() => store.remove(id))
    )
    return read === content
      ? well(`The bucket ${settings.bucket} can be written and read.`)
      : yield* new StoreFailed({ message: "it returns something else than was written", cause: undefined })
  })
  return Effect.flatMap(Timing, ({ withinOr }) =>
    withinOr("cli.bucket", found, () => new StoreFailed({ message: "it does not answer", cause: undefined }))
  ).pipe(
    Effect.catchAll((error) =>
      Effect.succeed(
        failed(
          `The bucket ${settings.bucket} at ${settings.endpoint} cannot be used: ${reason(error)}.`,
          "Check the S3_ variables and the permissions of the credentials."
        )
      )
    ),
    Effect.provide(s3Store.layer(settings))
  )
}

export const checks: ReadonlyArray<Check> = [
  {
    name: "bucket",
    ofConfiguration: ({ s3 }) => (s3 === undefined ? Effect.succeed(undefined) : findingOf(s3))
  }
]
