import { Effect } from "effect"
import type { DataKey } from "../../secrets/data-keys.ts"
import { Examination, type Whose } from "./examination.ts"
import { Intake } from "./intake.ts"
import { copyIdOf, type FileContent, type Received } from "./model.ts"
import type { FileAndCopy } from "./repo.ts"
import { sealedStore } from "./sealed-store.ts"

/** The copy of an image, unless `original`, and under which id it is stored. A PDF has no copy. */
export const contentOf = (
  { content_type, copy_sha256, copy_size, id, sha256, size }: FileAndCopy,
  original: boolean
): { readonly storedAs: string; readonly file: FileContent } => {
  const file = { id, content_type, size, sha256 }
  if (original || content_type === "application/pdf") return { storedAs: id, file }
  if (copy_size === null || copy_sha256 === null) throw new Error(`The image ${id} has no copy`)
  return { storedAs: copyIdOf(id), file: { ...file, size: copy_size, sha256: copy_sha256 } }
}

/** Creates the copies of images. */
export const copies = Effect.gen(function* () {
  const intake = yield* Intake
  const examination = yield* Examination
  const store = yield* sealedStore

  const discard = (id: string): Effect.Effect<void> =>
    Effect.zipRight(intake.discard(id), intake.discard(copyIdOf(id)))

  /** Examines an image, and puts its copy into the store as the copy of file `id`, sealed by `key`. A PDF has none. */
  const keepCopy = Effect.fnUntraced(function* (
    { path, type }: Received,
    id: string,
    key: DataKey,
    whose: Whose
  ) {
    if (type === "application/pdf") return undefined
    const copy = yield* examination.examine({ path, type }, copyIdOf(path), whose)
    yield* Effect.orDie(store.put(key, copyIdOf(id), copy.path))
    return copy
  })

  return { discard, keepCopy }
})
