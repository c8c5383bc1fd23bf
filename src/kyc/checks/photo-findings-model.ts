/** What is said of a photo itself, in words. */
import type { Look, Quality, Shows } from "./look-model.ts"
import type { Finding, Pose } from "./model.ts"

/** Why a photo was not looked at: its type is not decoded, its content is not there, or looking at it failed three times. */
type NotLooked = "failed" | "gone" | "type"

export interface Photo {
  readonly id: string
  readonly shows: Shows
  /** The step that names it; undefined if none does. */
  readonly step?: string | undefined
  /** The pose that a person was asked for; undefined if it is none of those that are told apart. */
  readonly asked?: Pose | undefined
  readonly look: Look | NotLooked
}

export const listed = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`

const notLooked: Readonly<Record<NotLooked, string>> = {
  failed: "Looking at the photo failed three times.",
  gone: "The photo is not in the store.",
  type: "Files of this type are not looked at."
}

export const noDecoder = "The package that decodes photos is not installed."

/** Why nothing was seen of a photo; undefined if it was looked at. */
export const withoutPicture = (look: Photo["look"]): string | undefined => {
  if (typeof look === "string") return notLooked[look]
  if (look.found === "no library") return noDecoder
  return look.found === "no picture" ? "The photo cannot be decoded." : undefined
}

/** What makes a photo hard to look at. */
export const flawsOf = ({ brightness, glare, height, sharpness, width }: Quality): ReadonlyArray<string> => [
  ...(Math.min(width, height) < 480 ? ["has few pixels"] : []),
  ...(sharpness < 20 ? ["is blurred"] : []),
  ...(brightness < 40 ? ["is dark"] : []),
  ...(brightness > 235 ? ["is too bright"] : []),
  ...(glare > 0.15 ? ["has reflections"] : [])
]

export const qualityFinding = ({ id, look }: Photo): Finding => {
  const found = { kind: "photo.quality", file_ids: [id], engine: "sharp 0.35.5" } as const
  const why = withoutPicture(look)
  if (typeof look === "string" || look.found !== "picture")
    return { ...found, outcome: "not_checked", reason: why ?? noDecoder, detail: {} }
  const flaws = flawsOf(look.quality)
  return flaws.length === 0
    ? { ...found, outcome: "agrees", reason: "The photo is sharp and evenly lit.", detail: look.quality }
    : { ...found, outcome: "unreadable", reason: `The photo ${listed(flaws)}.`, detail: look.quality }
}
