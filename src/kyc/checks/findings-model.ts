/** What the photos of a session show, compared with what was typed, in words. */
import type { AskedDocument } from "./answers-model.ts"
import type { Typed } from "./comparison-model.ts"
import { ageFinding, expiryFinding } from "./date-findings-model.ts"
import { documentFindings, readIn } from "./document-findings-model.ts"
import type { Finding } from "./model.ts"
import { noDecoder, type Photo, qualityFinding, withoutPicture } from "./photo-findings-model.ts"
import { type Comparing, facesFinding, similarityFinding } from "./selfie-findings-model.ts"

interface Given {
  readonly photos: ReadonlyArray<Photo>
  /** By the id of each photo that could be compared with others: the other sessions with a photo that looks the same. */
  readonly seenIn: ReadonlyMap<string, ReadonlySet<string>>
  /** Of the person. */
  readonly typed: Typed
  readonly documents: ReadonlyArray<AskedDocument>
  /** `YYYY-MM-DD`. */
  readonly today: string
  /** In years; undefined if the workflow has no such limit. */
  readonly minimumAge: number | undefined
  readonly asksForSelfie: boolean
  /** Undefined: document and selfie are not to be compared. */
  readonly comparison: Comparing | undefined
}

const duplicateEngine = "doorlock-picture-hash 1, sharp 0.35.5"

/** Whether other sessions have the same pictures: one finding for all photos. */
const duplicateOf = (photos: ReadonlyArray<Photo>, seenIn: Given["seenIn"]): Finding => {
  const common = { kind: "photo.duplicate", engine: duplicateEngine } as const
  const compared = photos.filter(({ id }) => seenIn.has(id))
  if (compared.length === 0) {
    const [first] = photos
    const whole = { ...common, detail: {}, file_ids: photos.map(({ id }) => id) }
    if (first === undefined) return { ...whole, outcome: "not_checked", reason: "There is no photo." }
    const why = photos.map(({ look }) => withoutPicture(look))
    return why.includes(undefined)
      ? { ...whole, outcome: "unreadable", reason: "The photos are too uniform to be compared with others." }
      : { ...whole, outcome: "not_checked", reason: why[0] ?? noDecoder }
  }
  const repeated = compared.filter(({ id }) => (seenIn.get(id)?.size ?? 0) > 0)
  const others = new Set(repeated.flatMap(({ id }) => [...(seenIn.get(id) ?? [])]))
  const detail = { sessions: others.size }
  if (repeated.length > 0) {
    const have = others.size === 1 ? "Another session has" : `${others.size} other sessions have`
    const what = repeated.length === 1 ? "a photo that looks" : "photos that look"
    return {
      ...common,
      outcome: "differs",
      reason: `${have} ${what} the same.`,
      detail,
      file_ids: repeated.map(({ id }) => id)
    }
  }
  const some = compared.length === photos.length ? "" : " as those that could be compared"
  return {
    ...common,
    outcome: "agrees",
    reason: `No other session has a photo that looks the same${some}.`,
    detail,
    file_ids: compared.map(({ id }) => id)
  }
}

/** If a session asks for no document, it is said that there is none. */
const noDocument: AskedDocument = { step: "", typed: {} }

/** The findings of a session, in the order in which they are shown. */
export const findingsOf = ({
  asksForSelfie,
  comparison,
  documents,
  minimumAge,
  photos,
  seenIn,
  today,
  typed
}: Given): ReadonlyArray<Finding> => {
  const shown = photos.filter(({ shows }) => shows === "document")
  const selfies = photos.filter(({ shows }) => shows === "selfie")
  const asked = (documents.length === 0 ? [noDocument] : documents).map(
    ({ step, typed: entered, ...claimed }) => {
      const own = shown.filter((photo) => photo.step === step)
      return { photos: own, read: readIn(own), typed: { ...typed, ...entered }, claimed }
    }
  )
  const thisYear = Number(today.slice(0, 4))
  return [
    ...asked.flatMap((document) => [
      ...documentFindings(document, thisYear),
      expiryFinding(document.read, document.typed, today)
    ]),
    ageFinding(
      asked.map(({ read }) => read),
      typed,
      today,
      minimumAge
    ),
    ...(asksForSelfie || selfies.length > 0 ? [facesFinding(selfies)] : []),
    ...(comparison === undefined ? [] : [similarityFinding(shown, selfies, comparison)]),
    ...photos.map(qualityFinding),
    duplicateOf(photos, seenIn)
  ]
}
