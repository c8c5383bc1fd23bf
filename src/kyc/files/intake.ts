import { constants } from "node:fs"
import { type FileHandle, mkdir, open, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Config } from "../../config.ts"
import { FileEmpty, FileTooLarge, FileTypeRefused, UploadIncomplete } from "./errors.ts"
import type { CaptureLimits, FileType } from "./model.ts"
import { sniff, sniffedBytes } from "./sniff.ts"

/** How long all of a file may take to arrive: 20 MiB at some 300 kbit/s. */
const deadline = Duration.minutes(10)

/** A file that has arrived whole and is safe on the local disk. */
export interface Received {
  readonly path: string
  readonly type: FileType
  /** Bytes. */
  readonly size: number
  readonly sha256: Uint8Array
}

type Refusal = FileEmpty | FileTooLarge | FileTypeRefused

/** What is known of a file while it arrives. */
interface Arriving {
  readonly size: number
  /** Its first bytes, until the type is known. */
  readonly head: Buffer
  readonly type: FileType | undefined
}

const nothingYet: Arriving = { size: 0, head: Buffer.alloc(0), type: undefined }

/** A disk that does not do its work is a fault of ours. */
const onDisk = <A>(action: () => Promise<A>): Effect.Effect<A> => Effect.promise(action)

/** Some or all of the bytes are written at once: the system may take fewer than it is given. */
const writeAll = async (file: FileHandle, bytes: Uint8Array): Promise<void> => {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
}

const accepted = (head: Buffer, { types }: CaptureLimits): Effect.Effect<FileType, FileTypeRefused> => {
  const type = sniff(head)
  return type !== undefined && types.includes(type)
    ? Effect.succeed(type)
    : Effect.fail(new FileTypeRefused())
}

/**
 * Where files arrive before they are kept: chunk by chunk in a local file of their own, refused at the first
 * byte that is one too many or tells the wrong type.
 */
export class Intake extends Effect.Service<Intake>()("Intake", {
  effect: Effect.gen(function* () {
    // Beside the store on disk, which then only has to move a file.
    const folder = join((yield* Config).dataDir, "files", "incoming")
    /** Where the content of that id arrives. */
    const pathOf = (id: string): string => join(folder, id)

    const makeFolder = () => mkdir(folder, { recursive: true, mode: 0o700 })

    const create = (id: string) =>
      onDisk(async () => {
        await makeFolder()
        return open(pathOf(id), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
      })

    /** Succeeds also when there is nothing to discard. */
    const discard = (id: string): Effect.Effect<void> => onDisk(() => rm(pathOf(id), { force: true }))

    /**
     * Writes, counts and hashes the file as it arrives. Fails with `FileEmpty`, `FileTooLarge`,
     * `FileTypeRefused`, or `UploadIncomplete` when the connection breaks off or ten minutes have passed.
     */
    const receive = <E>(
      id: string,
      bytes: Stream.Stream<Uint8Array, E>,
      limits: CaptureLimits
    ): Effect.Effect<Received, Refusal | UploadIncomplete> =>
      Effect.gen(function* () {
        const file = yield* Effect.acquireRelease(create(id), (opened) => onDisk(() => opened.close()))
        const hash = new Bun.CryptoHasher("sha256")

        const take = (arriving: Arriving, chunk: Uint8Array): Effect.Effect<Arriving, Refusal> =>
          Effect.gen(function* () {
            const size = arriving.size + chunk.length
            if (size > limits.maxBytes) return yield* new FileTooLarge()
            const head =
              arriving.type === undefined
                ? Buffer.concat([arriving.head, chunk.subarray(0, sniffedBytes - arriving.head.length)])
                : arriving.head
            const type =
              arriving.type ?? (head.length === sniffedBytes ? yield* accepted(head, limits) : undefined)
            hash.update(chunk)
            yield* onDisk(() => writeAll(file, chunk))
            return { size, head, type }
          })

        const arrived = yield* bytes.pipe(
          Stream.mapError(() => new UploadIncomplete()),
          Stream.runFoldEffect(nothingYet, take),
          Effect.timeoutFail({ duration: deadline, onTimeout: () => new UploadIncomplete() })
        )
        if (arrived.size === 0) return yield* new FileEmpty()
        const type = arrived.type ?? (yield* accepted(arrived.head, limits))
        yield* onDisk(() => file.sync())
        return { path: pathOf(id), type, size: arrived.size, sha256: hash.digest() }
      }).pipe(Effect.scoped)

    /** Deletes what a process that died has left here, once it is older than `age` and nobody can be writing it. */
    const sweep = (age: Duration.Duration): Effect.Effect<void> =>
      onDisk(async () => {
        const before = Date.now() - Duration.toMillis(age)
        await makeFolder()
        for (const name of await readdir(folder)) {
          // One that has just been kept or discarded is gone.
          const found = await stat(join(folder, name)).catch(() => undefined)
          if (found !== undefined && found.mtimeMs < before) await rm(join(folder, name), { force: true })
        }
      })

    return { pathOf, receive, discard, sweep }
  })
}) {}
