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

/** Writes a small text to the bucket, reads it back and deletes it. */
const writtenAndRead = Effect.fnUntraced(function* (content: string) {
  const store = yield* FileStore
  const path = join(tmpdir(), `doorlock-doctor-${content.slice(0, 16)}`)
  const id = newId()
  yield* Effect.promise(() => writeFile(path, content, { flag: "wx", mode: 0o600 }))
  return yield* store.put(id, path).pipe(
    Effect.zipRight(store.get(id)),
    Effect.flatMap((stream) => Effect.promise(() => new Response(stream).text())),
    Effect.ensuring(Effect.promise(() => rm(path, { force: true }))),
    Effect.tap(() => store.remove(id))
  )
})

/** Whether a small file can be written to the bucket, read back and deleted. */
const findingOf = (settings: S3Settings): Effect.Effect<Finding> =>
  Effect.gen(function* () {
    const { withinOr } = yield* Timing
    const content = randomBytes(32).toString("hex")
    const failure = (message: string) => new StoreFailed({ message, cause: undefined })
    const read = yield* withinOr("cli.bucket", writtenAndRead(content), () => failure("it does not answer"))
    return read === content
      ? well(`The bucket ${settings.bucket} can be written and read.`)
      : yield* failure("it returns something else than was written")
  }).pipe(
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

export const checks: ReadonlyArray<Check> = [
  {
    name: "bucket",
    ofConfiguration: ({ s3 }) => (s3 === undefined ? Effect.succeed(undefined) : findingOf(s3))
  }
]
