import { access, constants, mkdir, open, readFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config, type S3Settings } from "../config.ts"
import { s3Client } from "../s3.ts"
import { newId } from "../secrets/identifier.ts"
import { AnchorStore, AnchorsUnusable } from "./anchor-store.ts"

const attempt = <A>(what: string, action: () => Promise<A>): Effect.Effect<A, AnchorsUnusable> =>
  Effect.tryPromise({
    try: action,
    catch: (cause) =>
      new AnchorsUnusable({
        message: `${what}: ${cause instanceof Error ? cause.message : cause}`,
        cause
      })
  })

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

/** A file, a line for each anchor. */
const inFile = (dataDir: string): Layer.Layer<AnchorStore> => {
  const path = join(dataDir, "audit-anchors.jsonl")
  return Layer.succeed(AnchorStore, {
    place: path,

    read: attempt(`The anchors in ${path} cannot be read`, async () => {
      const text = await readFile(path, "utf8").catch((error: unknown) => {
        if (isMissing(error)) return ""
        throw error
      })
      return text.split("\n").filter((line) => line !== "")
    }),

    add: (_at, text) =>
      attempt(`The anchors in ${path} cannot be added to`, async () => {
        await mkdir(dataDir, { recursive: true })
        const file = await open(path, "a", 0o600)
        try {
          // In one write, at the end as it is then. The line break before it ends what a process that died had begun.
          await file.appendFile(`\n${text}\n`)
          await file.sync()
        } finally {
          await file.close()
        }
      }),

    check: attempt(`The anchors in ${path} cannot be added to`, () =>
      access(path, constants.R_OK | constants.W_OK).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      })
    )
  })
}

const prefix = "audit-anchors/"

/** Anchors that are read at once. */
const readers = 16

/** Objects of the bucket: a new one for each anchor, under the time of its making. */
const inBucket = (settings: S3Settings): Layer.Layer<AnchorStore> =>
  Layer.sync(AnchorStore, () => {
    const client = s3Client(settings)
    const place = `${settings.bucket}/${prefix}`
    // An object never changes, so that each is fetched once.
    const known = new Map<string, string>()
    const fetched = async (key: string): Promise<string> => {
      const text = known.get(key) ?? (await client.file(key).text())
      known.set(key, text)
      return text
    }
    const keys = async (): Promise<ReadonlyArray<string>> => {
      const found: Array<string> = []
      for (let startAfter = prefix; ; ) {
        const { contents = [], isTruncated } = await client.list({ prefix, startAfter })
        found.push(...contents.map(({ key }) => key))
        const last = found.at(-1)
        if (isTruncated !== true || last === undefined) return found
        startAfter = last
      }
    }
    return {
      place,
      read: Effect.flatMap(attempt(`The anchors in ${place} cannot be listed`, keys), (found) =>
        Effect.forEach(found, (key) => attempt(`The anchor ${key} cannot be read`, () => fetched(key)), {
          concurrency: readers
        })
      ),
      add: (at, text) =>
        attempt(`The anchors in ${place} cannot be added to`, async () => {
          await client.write(`${prefix}${at.toISOString()}-${newId()}.json`, text)
        }),
      // What the bucket permits is told by writing to it.
      check: Effect.void
    }
  })

/** Where the configuration has them: in the bucket where `S3_BUCKET` is set, else in `DATA_DIR`. */
export const layer = Layer.unwrapEffect(
  Effect.map(Config, ({ dataDir, s3 }) => (s3 === undefined ? inFile(dataDir) : inBucket(s3)))
)
