import { createReadStream } from "node:fs"
import { access, constants, mkdir, open } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Context, Data, Effect, Layer, Option, Stream } from "effect"
import { Config } from "../config.ts"
import { hasCode, messageOf } from "../shared/error.ts"
import { newId } from "../shared/identifier.ts"
import { type S3Settings, s3Client } from "../shared/s3.ts"

export class AnchorsUnusable extends Data.TaggedError("AnchorsUnusable")<{
  readonly message: string
  readonly cause?: unknown
}> {}

interface Store {
  /** For people to read. */
  readonly place: string
  /** Of all anchors, oldest first. */
  readonly lines: Stream.Stream<string, AnchorsUnusable>
  /** Changes no existing anchor, so processes may add concurrently. `text` is one or more lines. */
  readonly add: (at: Date, text: string) => Effect.Effect<void, AnchorsUnusable>
  /** Fails if nothing can be added, as far as a check that adds nothing can tell. */
  readonly check: Effect.Effect<void, AnchorsUnusable>
}

/** The anchors' store, outside the database. It is append-only. */
export class AnchorStore extends Context.Tag("AnchorStore")<AnchorStore, Store>() {}

const unusable = (what: string, cause: unknown): AnchorsUnusable =>
  new AnchorsUnusable({ message: `${what}: ${messageOf(cause)}`, cause })

const attempt = <A>(what: string, action: () => Promise<A>): Effect.Effect<A, AnchorsUnusable> =>
  Effect.tryPromise({ try: action, catch: (cause) => unusable(what, cause) })

/** A missing file has no lines. */
async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error
  }
}

const inFile = (dataDir: string): Store => {
  const path = join(dataDir, "audit-anchors.jsonl")
  const cannotAdd = `The anchors in ${path} cannot be added to`
  return {
    place: path,

    lines: Stream.suspend(() =>
      Stream.fromAsyncIterable(linesOf(path), (cause) =>
        unusable(`The anchors in ${path} cannot be read`, cause)
      )
    ),

    add: (_at, text) =>
      attempt(cannotAdd, async () => {
        await mkdir(dataDir, { recursive: true })
        const file = await open(path, "a", 0o600)
        try {
          // In one write. The leading line break ends a line in which another process died.
          await file.appendFile(`\n${text}\n`)
          await file.sync()
        } finally {
          await file.close()
        }
      }),

    check: attempt(cannotAdd, () =>
      access(path, constants.R_OK | constants.W_OK).catch((error: unknown) => {
        if (!hasCode(error, "ENOENT")) throw error
      })
    )
  }
}

const prefix = "audit-anchors/"

/** Anchors read concurrently. */
const readers = 16

const inBucket = (settings: S3Settings): Store => {
  const client = s3Client(settings)
  const place = `${settings.bucket}/${prefix}`
  /** A page of keys, and where the next page starts. */
  const keysAfter = (startAfter: string) =>
    Effect.map(
      attempt(`The anchors in ${place} cannot be listed`, () => client.list({ prefix, startAfter })),
      ({ contents = [], isTruncated }) => {
        const keys = contents.map(({ key }) => key)
        return [keys, isTruncated === true ? Option.fromNullable(keys.at(-1)) : Option.none()] as const
      }
    )
  return {
    place,
    lines: Stream.paginateEffect(prefix, keysAfter).pipe(
      Stream.flattenIterables,
      Stream.mapEffect((key) => attempt(`The anchor ${key} cannot be read`, () => client.file(key).text()), {
        concurrency: readers
      }),
      Stream.mapConcat((text) => text.split("\n"))
    ),
    add: (at, text) =>
      attempt(`The anchors in ${place} cannot be added to`, async () => {
        await client.write(`${prefix}${at.toISOString()}-${newId()}.json`, text)
      }),
    // Only a write shows what the bucket permits.
    check: Effect.void
  }
}

/** The bucket if `S3_BUCKET` is set, otherwise a file in `DATA_DIR`. */
export const layer = Layer.effect(
  AnchorStore,
  Effect.map(Config, ({ dataDir, s3 }) => (s3 === undefined ? inFile(dataDir) : inBucket(s3)))
)
