import { createReadStream } from "node:fs"
import { access, constants, mkdir, open } from "node:fs/promises"
import { join } from "node:path"
import { Context, Data, Effect, Layer, Option, Stream } from "effect"
import { Config } from "../config.ts"
import { hasCode, messageOf } from "../shared/error.ts"
import { newId } from "../shared/identifier.ts"
import { type S3Settings, s3Client } from "../shared/s3.ts"

export class AnchorsUnusable extends Data.TaggedError("AnchorsUnusable")<{
  readonly message: string
  readonly cause?: unknown
}> {}

interface AnchorLine {
  readonly text: string
  /** Where the next read continues. */
  readonly mark: string
}

/** The anchors' store, outside the database. It is append-only. */
export class AnchorStore extends Context.Tag("AnchorStore")<
  AnchorStore,
  {
    /** For people to read. */
    readonly place: string
    /** Lines after the mark, or all, oldest first. */
    readonly since: (mark: string | undefined) => Stream.Stream<AnchorLine, AnchorsUnusable>
    /** Changes no existing anchor, so processes may add concurrently. `text` is one or more lines. */
    readonly add: (at: Date, text: string) => Effect.Effect<void, AnchorsUnusable>
    /** Fails if nothing can be added, as far as a check that adds nothing can tell. */
    readonly check: Effect.Effect<void, AnchorsUnusable>
  }
>() {}

const unusable = (what: string, cause: unknown): AnchorsUnusable =>
  new AnchorsUnusable({ message: `${what}: ${messageOf(cause)}`, cause })

const attempt = <A>(what: string, action: () => Promise<A>): Effect.Effect<A, AnchorsUnusable> =>
  Effect.tryPromise({ try: action, catch: (cause) => unusable(what, cause) })

const lineBreak = 10

/** The non-empty lines from `start` on, each with the position of the next. A missing file has no lines. */
async function* linesOf(path: string, start: number): AsyncGenerator<AnchorLine> {
  let begun: Array<Buffer> = []
  let place = start
  try {
    for await (const chunk of createReadStream(path, { start }) as AsyncIterable<Buffer>) {
      let from = 0
      for (;;) {
        const end = chunk.indexOf(lineBreak, from)
        if (end === -1) break
        const line = Buffer.concat([...begun, chunk.subarray(from, end)])
        begun = []
        place += line.length + 1
        from = end + 1
        if (line.length > 0) yield { text: line.toString(), mark: `${place}` }
      }
      begun.push(chunk.subarray(from))
    }
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error
  }
  const rest = Buffer.concat(begun)
  // Another process may still be writing this line, so the next read starts at its beginning.
  if (rest.length > 0) yield { text: rest.toString(), mark: `${place}` }
}

const inFile = (dataDir: string): Layer.Layer<AnchorStore> => {
  const path = join(dataDir, "audit-anchors.jsonl")
  return Layer.succeed(AnchorStore, {
    place: path,

    since: (mark) =>
      Stream.suspend(() =>
        Stream.fromAsyncIterable(linesOf(path, Number(mark ?? 0)), (cause) =>
          unusable(`The anchors in ${path} cannot be read`, cause)
        )
      ),

    add: (_at, text) =>
      attempt(`The anchors in ${path} cannot be added to`, async () => {
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

    check: attempt(`The anchors in ${path} cannot be added to`, () =>
      access(path, constants.R_OK | constants.W_OK).catch((error: unknown) => {
        if (!hasCode(error, "ENOENT")) throw error
      })
    )
  })
}

const prefix = "audit-anchors/"

/** Anchors read concurrently. */
const readers = 16

const inBucket = (settings: S3Settings): Layer.Layer<AnchorStore> =>
  Layer.sync(AnchorStore, () => {
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
    const linesOfObject = (key: string) =>
      Effect.map(
        attempt(`The anchor ${key} cannot be read`, () => client.file(key).text()),
        (text) => text.split("\n").map((line): AnchorLine => ({ text: line, mark: key }))
      )
    return {
      place,
      // By the time in the key: an anchor from a slow clock may be skipped, except when all are read.
      since: (mark) =>
        Stream.paginateEffect(mark ?? prefix, keysAfter).pipe(
          Stream.flattenIterables,
          Stream.mapEffect(linesOfObject, { concurrency: readers }),
          Stream.flattenIterables
        ),
      add: (at, text) =>
        attempt(`The anchors in ${place} cannot be added to`, async () => {
          await client.write(`${prefix}${at.toISOString()}-${newId()}.json`, text)
        }),
      // Only a write shows what the bucket permits.
      check: Effect.void
    }
  })

/** The bucket if `S3_BUCKET` is set, otherwise a file in `DATA_DIR`. */
export const layer = Layer.unwrapEffect(
  Effect.map(Config, ({ dataDir, s3 }) => (s3 === undefined ? inFile(dataDir) : inBucket(s3)))
)
