/** What is said of selfies, in words: how many faces were counted, how large they are, which way they look, and how similar one is to that of the document. */
import type { FaceSeen } from "./look-model.ts"
import type { Finding, Outcome, Pose } from "./model.ts"
import { flawsOf, listed, type Photo, withoutPicture } from "./photo-findings-model.ts"

/** From this angle on, in degrees, a face is turned. */
const turned = 15

const poseOf = ({ turn }: FaceSeen): Pose =>
  Math.abs(turn) < turned ? "straight" : turn > 0 ? "left" : "right"

interface Counted {
  readonly photo: Photo
  readonly faces: ReadonlyArray<FaceSeen>
  /** What makes it hard to count faces. */
  readonly flaws: ReadonlyArray<string>
}

const countedIn = (photo: Photo): ReadonlyArray<Counted> => {
  const { look } = photo
  return typeof look !== "string" && look.found === "picture" && look.faces.found === "faces"
    ? [{ photo, faces: look.faces.faces, flaws: flawsOf(look.quality) }]
    : []
}

const noFinder = "The package that runs the network that finds faces is not installed."

/** What was counted in one selfie. */
const detailOf = ({ faces, photo: { asked, id } }: Counted) => ({
  file_id: id,
  count: faces.length,
  faces: faces.map((face) => ({ ...face, pose: poseOf(face) })),
  ...(asked === undefined ? {} : { asked })
})

/** Of those with one face, and of which a pose was asked for: how many have it. */
const posesAsked = (one: ReadonlyArray<Counted>): string => {
  const asked = one.filter(({ photo }) => photo.asked !== undefined)
  const seen = asked.filter(({ faces: [face], photo }) => face !== undefined && poseOf(face) === photo.asked)
  return asked.length === seen.length
    ? ""
    : ` The pose that was asked for was seen in ${seen.length} of ${asked.length}.`
}

/** How many faces each selfie shows. */
export const facesFinding = (selfies: ReadonlyArray<Photo>): Finding => {
  const common = {
    kind: "selfie.faces",
    file_ids: selfies.map(({ id }) => id),
    engine: "BlazeFace back 256, onnxruntime-node 1.30.0"
  } as const
  const [first] = selfies
  if (first === undefined)
    return { ...common, outcome: "not_checked", reason: "There is no selfie.", detail: {} }
  const counted = selfies.flatMap(countedIn)
  if (counted.length === 0) {
    return { ...common, outcome: "not_checked", reason: withoutPicture(first.look) ?? noFinder, detail: {} }
  }
  const total = selfies.length
  const ofThem = (count: number) => (total === 1 ? "the selfie" : `${count} of ${total} selfies`)
  const one = counted.filter(({ faces }) => faces.length === 1)
  const several = counted.filter(({ faces }) => faces.length > 1)
  const none = counted.filter(({ faces, flaws }) => faces.length === 0 && flaws.length === 0)
  const poor = counted.filter(({ faces, flaws }) => faces.length === 0 && flaws.length > 0)
  const missing = total - counted.length
  const sentences = [
    ...(several.length > 0 ? [`More than one face was counted in ${ofThem(several.length)}.`] : []),
    ...(none.length > 0 ? [`No face was counted in ${ofThem(none.length)}.`] : []),
    ...(poor.length > 0
      ? [`No face was counted in ${ofThem(poor.length)}: the photo ${listed(poor[0]?.flaws ?? [])}.`]
      : []),
    ...(missing > 0 ? [`Faces were not counted in ${ofThem(missing)}.`] : [])
  ]
  const outcome: Outcome =
    several.length + none.length > 0 ? "differs" : poor.length + missing > 0 ? "unreadable" : "agrees"
  const poses = one.flatMap(({ faces }) => faces.map(poseOf)).join(", ")
  const agreeing = `One face was counted in ${total === 1 ? "the selfie" : `each of ${total} selfies`}: ${poses}.${posesAsked(one)}`
  return {
    ...common,
    outcome,
    reason: outcome === "agrees" ? agreeing : sentences.join(" "),
    detail: {
      count: Math.max(...counted.map(({ faces }) => faces.length)),
      photos: counted.map(detailOf)
    }
  }
}

/** The operator's network that compares faces. */
interface Comparer {
  /** From which score on faces count as similar. */
  readonly threshold: number
}

export interface Comparing {
  /** Undefined: the operator provides none. */
  readonly model: Comparer | undefined
}

interface Compared {
  readonly photo: Photo
  readonly vector: ReadonlyArray<number>
  /** Zero for a document. */
  readonly turn: number
}

const comparedIn = (photo: Photo): ReadonlyArray<Compared> => {
  const { look, shows } = photo
  if (typeof look === "string" || look.found !== "picture" || look.vector.found !== "vector") return []
  const vector = look.vector.values
  if (shows === "document") return [{ photo, vector, turn: 0 }]
  const [face, ...others] = look.faces.found === "faces" ? look.faces.faces : []
  return face === undefined || others.length > 0 ? [] : [{ photo, vector, turn: Math.abs(face.turn) }]
}

/** Why a photo could not be compared; undefined if it shows nothing to compare. */
const notCompared = ({ look }: Photo): string | undefined => {
  const why = withoutPicture(look)
  if (why !== undefined || typeof look === "string" || look.found !== "picture") return why
  if (look.vector.found === "no library") return noFinder
  return look.vector.found === "no network" ? "The network that compares faces cannot be used." : undefined
}

/** From -1 to 1; undefined if the vectors are not comparable. */
const cosineOf = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number | undefined => {
  let [product, ones, others] = [0, 0, 0]
  for (const [index, value] of one.entries()) {
    const beside = other[index] ?? 0
    product += value * beside
    ones += value * value
    others += beside * beside
  }
  const cosine = product / Math.sqrt(ones * others)
  return one.length === other.length && Number.isFinite(cosine) ? cosine : undefined
}

/** How similar each portrait of the documents is to the selfie that looks straightest, of those with one face: the lowest score counts. */
export const similarityFinding = (
  documents: ReadonlyArray<Photo>,
  selfies: ReadonlyArray<Photo>,
  { model }: Comparing
): Finding => {
  const photos = [...documents, ...selfies]
  const common = {
    kind: "selfie.similarity",
    engine: model === undefined ? "none" : "the operator's network, onnxruntime-node 1.30.0"
  } as const
  const without = (outcome: Outcome, reason: string): Finding => ({
    ...common,
    outcome,
    reason,
    detail: {},
    file_ids: photos.map(({ id }) => id)
  })
  if (model === undefined) return without("not_checked", "This service has no network that compares faces.")
  if (documents.length === 0) return without("not_checked", "There is no photo of a document.")
  if (selfies.length === 0) return without("not_checked", "There is no selfie.")
  const portraits = documents.flatMap(comparedIn)
  const [selfie] = selfies.flatMap(comparedIn).toSorted((one, other) => one.turn - other.turn)
  if (portraits.length === 0 || selfie === undefined) {
    const reasons = (portraits.length === 0 ? documents : selfies).map(notCompared)
    const [why] = reasons
    // One that was looked at and shows nothing to compare says more than a file that cannot be looked at.
    if (why !== undefined && !reasons.includes(undefined)) return without("not_checked", why)
    return without(
      "unreadable",
      portraits.length === 0
        ? "No face was found in the document that is large enough to be compared."
        : "No selfie has exactly one face that is large enough to be compared."
    )
  }
  const scored = portraits.flatMap(({ photo, vector }) => {
    const cosine = cosineOf(vector, selfie.vector)
    return cosine === undefined ? [] : [{ id: photo.id, score: Math.round(cosine * 1000) / 1000 }]
  })
  const [lowest] = scored.toSorted((one, other) => one.score - other.score)
  if (lowest === undefined || scored.length < portraits.length)
    return without("not_checked", "The network that compares faces cannot be used.")
  const { id, score } = lowest
  const isSimilar = score >= model.threshold
  return {
    ...common,
    outcome: isSimilar ? "agrees" : "differs",
    reason: `The face in the document${portraits.length === 1 ? "" : " that is least similar"} and that in the selfie have a similarity of ${score}, which is ${isSimilar ? "not below" : "below"} this service's threshold of ${model.threshold}. Neither is calibrated.`,
    detail: { score, threshold: model.threshold, calibrated: false },
    file_ids: [id, selfie.photo.id]
  }
}
