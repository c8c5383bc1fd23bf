import { constants } from "node:fs"
import { type FileHandle, mkdir, open, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { Duration, Effect, Stream } from "effect"
import { Config } from "../../config.ts"
import type { CaptureLimits } from "../instances/config-model.ts"
import { FileEmpty, FileTooLarge, FileTypeRefused, UploadIncomplete } from "./errors.ts"
import type { FileType } from "./model.ts"
import { sniff, sniffedBytes } from "./sniff.ts"

/** The deadline for receiving a whole file: enough for 20 MiB at about 300 kbit/s. */
const deadline = Duration.minutes(10)

/** A complete file, safely on the local disk. */
export interface Received {
  readonly path: string
  readonly type: FileType
  /** Bytes. */
  readonly size: number
  readonly sha256: Uint8Array
}

type Refusal = FileEmpty | FileTooLarge | FileTypeRefused

/** A disk error is our fault, not the client's: it becomes a defect. */
const onDisk = <A>(action: () => Promise<A>): Effect.Effect<A> => Effect.promise(action)

/** Writes all bytes. The system may take fewer bytes per call than it is given. */
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
 * Receives each upload chunk by chunk into a local file, before it goes into the store. Refuses it as soon
 * as it exceeds the size limit or its type is known and not accepted.
 */
export class Intake extends Effect.Service<Intake>()("Intake", {
  effect: Effect.gen(function* () {
    // In the disk store's folder, because the store moves files, which requires the same file system.
    const folder = join((yield* Config).dataDir, "files", "incoming")
    /** The path of the file that is received under this id. */
    const pathOf = (id: string): string => join(folder, id)

    const makeFolder = () => mkdir(folder, { recursive: true, mode: 0o700 })

    const create = (id: string) =>
      onDisk(async () => {
        await makeFolder()
        return open(pathOf(id), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
      })

    /** Deletes the local file, if it exists. */
    const discard = (id: string): Effect.Effect<void> => onDisk(() => rm(pathOf(id), { force: true }))

    /**
     * Writes, counts and hashes the file as it arrives. Fails with `FileEmpty`, `FileTooLarge`,
     * `FileTypeRefused`, or with `UploadIncomplete` if the connection breaks or ten minutes pass.
     */
    const receive = <E>(
      id: string,
      bytes: Stream.Stream<Uint8Array, E>,
      limits: CaptureLimits
    ): Effect.Effect<Received, Refusal | UploadIncomplete> =>
      Effect.gen(function* () {
        const file = yield* Effect.acquireRelease(create(id), (opened) => onDisk(() => opened.close()))
        const hash = new Bun.CryptoHasher("sha256")
        let size = 0
        let type: FileType | undefined
        /** The first bytes, until the type is known. */
        let head = Buffer.alloc(0)

        const take = Effect.fnUntraced(function* (chunk: Uint8Array): Effect.fn.Return<void, Refusal> {
          size += chunk.length
          if (size > limits.maxBytes) return yield* new FileTooLarge()
          if (type === undefined) {
            head = Buffer.concat([head, chunk.subarray(0, sniffedBytes - head.length)])
            if (head.length === sniffedBytes) type = yield* accepted(head, limits)
          }
          hash.update(chunk)
          yield* onDisk(() => writeAll(file, chunk))
        })

        yield* bytes.pipe(
          Stream.mapError(() => new UploadIncomplete()),
          Stream.runForEach(take),
          Effect.timeoutFail({ duration: deadline, onTimeout: () => new UploadIncomplete() })
        )
        if (size === 0) return yield* new FileEmpty()
        type ??= yield* accepted(head, limits)
        yield* onDisk(() => file.sync())
        return { path: pathOf(id), type, size, sha256: hash.digest() }
      }).pipe(Effect.scoped)

    /** Deletes files older than `age`, which only a dead process can have left. */
    const sweep = (age: Duration.Duration): Effect.Effect<void> =>
      onDisk(async () => {
        const before = Date.now() - Duration.toMillis(age)
        await makeFolder()
        for (const name of await readdir(folder)) {
          // The file may just have been moved to the store or discarded.
          const found = await stat(join(folder, name)).catch(() => undefined)
          if (found !== undefined && found.mtimeMs < before) await rm(join(folder, name), { force: true })
        }
      })

    return { pathOf, receive, discard, sweep }
  })
}) {}
