import { Deferred, Effect, FiberId, Option, Stream } from "effect"
import { forOthersToo } from "../../limits/fair-queue.ts"
import type { DataKey } from "../../secrets/data-keys.ts"
import { newId } from "../../shared/identifier.ts"
import { NoCopy, type NotExamined } from "./errors.ts"
import { Examination } from "./examination.ts"
import type { Whose } from "./examination-turns.ts"
import { Intake } from "./intake.ts"
import { copyIdOf, type FileContent, type Received } from "./model.ts"
import { type CopyState, type FileAndCopy, FileRepo } from "./repo.ts"
import { sealedStore } from "./sealed-store.ts"

type Copy = Pick<FileContent, "sha256" | "size">

/** Undefined: no copy is recorded. */
const copyOf = ({ copy_sha256, copy_size }: CopyState): Copy | undefined =>
  copy_size === null || copy_sha256 === null ? undefined : { size: copy_size, sha256: copy_sha256 }

/** Creates copies of images: on upload, or on the first read of an image from a version that created none. */
export const copies = Effect.gen(function* () {
  const repo = yield* FileRepo
  const intake = yield* Intake
  const examination = yield* Examination
  const store = yield* sealedStore

  const discard = (id: string): Effect.Effect<void> =>
    Effect.zipRight(intake.discard(id), intake.discard(copyIdOf(id)))

  /** Examines the received file. An image's copy goes into the store as the copy of file `id`, sealed by `key`. */
  const keepCopy = Effect.fnUntraced(function* (received: Received, id: string, key: DataKey, whose: Whose) {
    const copy = yield* examination.examine(received, copyIdOf(received.path), whose)
    if (copy !== undefined) yield* Effect.orDie(store.put(key, copyIdOf(id), copy.path))
    return copy
  })

  const makeCopy = Effect.fnUntraced(function* (
    { content_type, id, sealed, size }: FileAndCopy,
    key: DataKey,
    whose: Whose
  ) {
    const arrivedAs = newId()
    const content = yield* Effect.orDie(store.get(key, id, sealed))
    const bytes = Stream.fromReadableStream(
      () => content,
      (cause) => cause
    )
    const noCopy = Effect.zipRight(repo.recordCopy(id, undefined), Effect.fail(new NoCopy()))
    return yield* intake.receive(arrivedAs, bytes, { maxBytes: size, types: [content_type] }).pipe(
      Effect.flatMap((received) => keepCopy(received, id, key, whose)),
      Effect.tap((copy) => (copy === undefined ? Effect.void : repo.recordCopy(id, copy))),
      Effect.map((copy) =>
        copy === undefined ? undefined : { size: copy.size, sha256: Buffer.from(copy.sha256).toString("hex") }
      ),
      Effect.catchTag("FileTypeRefused", "ImageTooLarge", () => noCopy),
      Effect.catchTag("PdfRefused", "FileEmpty", "FileTooLarge", "UploadIncomplete", Effect.die),
      Effect.ensuring(discard(arrivedAs))
    )
  })

  const copying = new Map<string, Deferred.Deferred<Copy | undefined, NoCopy | NotExamined>>()

  /** Reads again whether there is a copy: one may have been completed since `file` was read. */
  const makeCopyIfNone = Effect.fnUntraced(function* (file: FileAndCopy, key: DataKey, whose: Whose) {
    const now = Option.getOrElse(yield* repo.findCopy(file.id), () => file)
    return copyOf(now) ?? (now.has_no_copy ? undefined : yield* makeCopy(file, key, whose))
  })

  const makeCopyOnce = (file: FileAndCopy, key: DataKey, whose: Whose) =>
    Effect.suspend(() => {
      const made = copying.get(file.id)
      if (made !== undefined) return Deferred.await(made)
      const own = Deferred.unsafeMake<Copy | undefined, NoCopy | NotExamined>(FiberId.none)
      copying.set(file.id, own)
      const forget = Effect.sync(() => copying.delete(file.id))
      // A separate fiber: the first client may disconnect while others wait for the copy.
      const making = Effect.ensuring(Effect.intoDeferred(makeCopyIfNone(file, key, whose), own), forget)
      return Effect.zipRight(Effect.forkDaemon(forOthersToo(making)), Deferred.await(own))
    })

  const contentOf = Effect.fnUntraced(function* (
    found: FileAndCopy,
    original: boolean,
    key: DataKey,
    whose: Whose
  ): Effect.fn.Return<{ readonly storedAs: string; readonly file: FileContent }, NoCopy | NotExamined> {
    const { content_type, has_no_copy, id, sha256, size } = found
    const file = { id, content_type, size, sha256 }
    if (original || content_type === "application/pdf") return { storedAs: id, file }
    const storedAs = copyIdOf(id)
    const copy = copyOf(found) ?? (has_no_copy ? undefined : yield* makeCopyOnce(found, key, whose))
    if (copy === undefined) return yield* new NoCopy()
    return { storedAs, file: { ...file, ...copy } }
  })

  return { contentOf, discard, keepCopy }
})
