/** What is said of selfies, in words. No more is said than how many faces were counted, how large they are and which way they look. */
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
