import { mkdir, open, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { Duration, Effect, Stream } from "effect"
import { Config } from "../../config.ts"
import { Timing } from "../../shared/timing.ts"
import type { CaptureLimits } from "../instances/settings-model.ts"
import { FileEmpty, FileTooLarge, FileTypeRefused, UploadIncomplete } from "./errors.ts"
import type { FileType, Received } from "./model.ts"
import { sniff, sniffedBytes } from "./sniff.ts"

type Refusal = FileEmpty | FileTooLarge | FileTypeRefused

const accepted = (head: Buffer, { types }: CaptureLimits): Effect.Effect<FileType, FileTypeRefused> => {
  const type = sniff(head)
  return type !== undefined && types.includes(type)
    ? Effect.succeed(type)
    : Effect.fail(new FileTypeRefused())
}

/**
 * Receives uploads as local files; refuses one as soon as its size or type is known to be unacceptable. A disk
 * error is our fault, not the client's, and so a defect.
 */
export class Intake extends Effect.Service<Intake>()("Intake", {
  effect: Effect.gen(function* () {
    // In the disk store's folder, and so on the same file system: the store moves a file without copying it.
    const folder = join((yield* Config).dataDir, "files", "incoming")
    const { withinOr } = yield* Timing
    const pathOf = (id: string): string => join(folder, id)

    const makeFolder = () => mkdir(folder, { recursive: true, mode: 0o700 })

    /** Deletes the local file, if it exists. */
    const discard = (id: string): Effect.Effect<void> => Effect.promise(() => rm(pathOf(id), { force: true }))

    /** `UploadIncomplete`: the connection broke, or ten minutes passed. */
    const receive = <E>(
      id: string,
      bytes: Stream.Stream<Uint8Array, E>,
      limits: CaptureLimits
    ): Effect.Effect<Received, Refusal | UploadIncomplete> =>
      Effect.gen(function* () {
        yield* Effect.promise(makeFolder)
        const file = yield* Effect.acquireRelease(
          Effect.promise(() => open(pathOf(id), "wx", 0o600)),
          (opened) => Effect.promise(() => opened.close())
        )
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
          // Writes at the current position, and continues after a short write.
          yield* Effect.promise(() => file.writeFile(chunk))
        })

        const received = bytes.pipe(
          Stream.mapError(() => new UploadIncomplete()),
          Stream.runForEach(take)
        )
        yield* withinOr("kyc.upload", received, () => new UploadIncomplete())
        if (size === 0) return yield* new FileEmpty()
        type ??= yield* accepted(head, limits)
        yield* Effect.promise(() => file.sync())
        return { path: pathOf(id), type, size, sha256: hash.digest() }
      }).pipe(Effect.scoped)

    /** Deletes files older than `age`, which crashed processes have left. */
    const sweep = (age: Duration.Duration): Effect.Effect<void> =>
      Effect.promise(async () => {
        const before = Date.now() - Duration.toMillis(age)
        await makeFolder()
        for (const name of await readdir(folder)) {
          // The file may just have been moved to the store or discarded.
          const found = await stat(join(folder, name)).catch(() => undefined)
          if (found !== undefined && found.mtimeMs < before) await rm(join(folder, name), { force: true })
        }
      })

    /** A path for a local file, where the sweep deletes it if the process dies. */
    const place = (id: string): Effect.Effect<string> => Effect.as(Effect.promise(makeFolder), pathOf(id))

    return { receive, discard, place, sweep }
  })
}) {}
