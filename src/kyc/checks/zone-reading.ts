/** Reads the machine-readable zone in a photo. */
import type { Network, Networks } from "./networks.ts"
import type { Colour, Grey, Picture } from "./picture.ts"
import { type TextLine, textLines } from "./text-lines.ts"
import { type AlignedLine, aligned } from "./zone-alignment.ts"
import {
  fieldParts,
  permittedIn,
  type ZoneFields,
  type ZoneFormat,
  zoneAlphabet,
  zoneLayouts,
  zoneOf
} from "./zone-model.ts"
import { stripHeight, stripOf } from "./zone-strips.ts"

/**
 * How the picture is looked at, until a zone is found in which all check digits are right. The detector finds few lines that go up or down.
 * A larger picture costs three times as much.
 */
const looks = [
  { edge: 960, turned: false },
  { edge: 960, turned: true },
  { edge: 1600, turned: false }
]

export interface ZoneReading {
  readonly format: ZoneFormat
  readonly lines: ReadonlyArray<string>
  readonly zone: ReturnType<typeof zoneOf>
  /** By field: how sure the reader is of its least certain character, from 0 to 1. */
  readonly confidence: Readonly<Record<keyof ZoneFields, number>>
}

interface Candidate {
  /** From the first to the last line of the zone, if it is upright. */
  readonly lines: ReadonlyArray<TextLine>
  readonly slope: number
}

/** A line that was found in `seen`, in pixels of the whole picture. */
const placed = (line: TextLine, seen: Colour, turned: boolean, whole: Grey): TextLine => {
  const scale = whole.width / (turned ? seen.height : seen.width)
  const [x, y] = [line.x + 0.5, line.y + 0.5]
  return {
    x: scale * (turned ? y : x),
    y: scale * (turned ? seen.width - x : y),
    angle: turned ? line.angle - Math.PI / 2 : line.angle,
    length: line.length * scale,
    bend: line.bend / scale,
    thickness: line.thickness * scale
  }
}

/** Where the second line is, seen from the middle of the first. */
const beside = (one: TextLine, other: TextLine) => {
  const angle = one.angle
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const [dx, dy] = [other.x - one.x, other.y - one.y]
  return {
    along: dx * cos + dy * sin,
    across: dy * cos - dx * sin,
    turn: Math.atan(Math.tan(other.angle - angle))
  }
}

/** The lines of a zone are parallel, of the same length, and near each other. */
const areNeighbours = (one: TextLine, other: TextLine): boolean => {
  const { across, along, turn } = beside(one, other)
  const length = Math.max(one.length, other.length)
  return (
    Math.min(one.length, other.length) > 0.8 * length &&
    Math.abs(turn) < 0.09 &&
    Math.abs(along) < 0.1 * length &&
    Math.abs(across) > length / 45 &&
    Math.abs(across) < length / 10
  )
}

/** Lines that may be those of a zone. */
export const candidatesIn = (lines: ReadonlyArray<TextLine>): ReadonlyArray<Candidate> => {
  const long = lines.filter(({ length, thickness }) => length > 10 * thickness).slice(0, 12)
  const pairs = long.flatMap((one) =>
    long
      .filter((other) => areNeighbours(one, other) && beside(one, other).across > 0)
      .map((other) => ({ one, other }))
  )
  /** Where lines draw nearer to each other, they are farther from the camera. */
  const slopeOf = (one: TextLine, other: TextLine): number => {
    const { across, turn } = beside(one, other)
    return Math.max(-0.25, Math.min(0.25, (Math.sin(turn) * one.length) / 2 / across))
  }
  const triples = pairs.flatMap(({ one, other }) =>
    pairs
      .filter(({ one: middle }) => middle === other)
      .map(({ other: third }) => [one, other, third] as const)
  )
  return [
    ...triples.map((three) => ({ lines: three, slope: slopeOf(three[0], three[2]) })),
    ...pairs.map(({ one, other }) => ({ lines: [one, other], slope: slopeOf(one, other) }))
  ].slice(0, 6)
}

interface Character {
  /** The likeliest of those that may stand there, and the next likely. */
  readonly best: number
  readonly next: number
  readonly sure: number
  readonly nextSure: number
}

const likeliest = (read: Float32Array, may: ReadonlyArray<boolean>): Character => {
  let [best, next, total] = [-1, -1, 0]
  for (let one = 0; one < read.length; one++) {
    if (may[one] !== true) continue
    if (best === -1 || (read[one] ?? 0) > (read[best] ?? 0)) {
      next = best
      best = one
    } else if (next === -1 || (read[one] ?? 0) > (read[next] ?? 0)) next = one
  }
  for (const value of read) total += Math.exp(value)
  const share = (one: number) => (one === -1 ? 0 : Math.exp(read[one] ?? 0) / Math.max(total, 1e-6))
  return { best, next, sure: share(best), nextSure: share(next) }
}

/** A character is replaced by the next likely one only if that is at least so likely. */
const leastNext = 0.02

const linesOf = (characters: ReadonlyArray<ReadonlyArray<Character>>): ReadonlyArray<string> =>
  characters.map((line) => line.map(({ best }) => zoneAlphabet[best] ?? "<").join(""))

/**
 * If check digits are wrong, and exactly one way to replace one character by the next likely makes them all right, replaces it. It keeps the
 * low probability of the character that it has now.
 */
const corrected = (
  format: ZoneFormat,
  characters: ReadonlyArray<ReadonlyArray<Character>>,
  thisYear: number
): ReadonlyArray<ReadonlyArray<Character>> => {
  if (zoneOf(format, linesOf(characters), thisYear).wrong.length === 0) return characters
  const ways = characters.flatMap((line, row) =>
    line.flatMap((character, place) => {
      if (character.nextSure < leastNext) return []
      const swapped = { ...character, best: character.next, sure: character.nextSure }
      const changed = characters.with(row, line.with(place, swapped))
      return zoneOf(format, linesOf(changed), thisYear).wrong.length === 0 ? [changed] : []
    })
  )
  const [only, ...others] = ways
  return only !== undefined && others.length === 0 ? only : characters
}

/** How well the lines explain the photo, as a logarithm. */
type ScoredReading = ZoneReading & { readonly score: number }

const readFormat = (
  format: ZoneFormat,
  found: ReadonlyArray<AlignedLine>,
  thisYear: number
): ScoredReading => {
  const masks = permittedIn(format)
  const read = found.map((line, row) =>
    line.characters.map((values, place) => likeliest(values, masks[row]?.[place] ?? []))
  )
  const characters = corrected(format, read, thisYear)
  const lines = linesOf(characters)
  const parts = fieldParts(format)
  const names = lines[parts.surname.line]?.slice(parts.surname.from, parts.surname.to) ?? ""
  const nameEnd = parts.surname.from + names.replace(/<+$/, "").length
  const sureOf = (field: keyof ZoneFields): number => {
    const { from, line, to } = parts[field]
    // The fillers that end the names say little, but one letter among them would be one too many.
    const end = field === "surname" || field === "given_names" ? Math.max(from + 1, nameEnd) : to
    return Math.min(...(characters[line] ?? []).slice(from, end).map(({ sure }) => sure))
  }
  const fields = Object.keys(parts) as ReadonlyArray<keyof ZoneFields>
  return {
    format,
    lines,
    zone: zoneOf(format, lines, thisYear),
    // The cast: `fields` are the keys.
    confidence: Object.fromEntries(
      fields.map((field) => [field, Math.round(sureOf(field) * 1000) / 1000])
    ) as ZoneReading["confidence"],
    score: found.reduce((sum, { score }) => sum + score, 0) / found.length
  }
}

const lengths: Readonly<Record<2 | 3, ReadonlyArray<ZoneFormat>>> = { 2: ["TD3", "TD2"], 3: ["TD1"] }

/** Below this, what was found in a line is not text of a zone. */
const leastScore = -1

/** At least so many check digits are right, or what was found is not a zone. */
const leastRight = 2

/** What a zone may be like. */
interface Expected {
  /** To tell the century of a birth. */
  readonly thisYear: number
  readonly formats: ReadonlyArray<ZoneFormat>
  /** Whether the text may be upside down. */
  readonly mayBeTurned: boolean
}

/** @param reader reads strips (`zone-reader`) */
export const readCandidate = async (
  reader: Network,
  grey: Grey,
  { lines, slope }: Candidate,
  { formats, mayBeTurned, thisYear }: Expected
): Promise<ScoredReading | undefined> => {
  let best: ScoredReading | undefined
  for (const turned of mayBeTurned ? [false, true] : [false]) {
    const ordered = turned ? lines.toReversed() : lines
    for (const format of lengths[lines.length === 3 ? 3 : 2]) {
      if (!formats.includes(format)) continue
      const { length } = zoneLayouts[format]
      const masks = permittedIn(format)
      const found: Array<AlignedLine> = []
      for (const [row, line] of ordered.entries()) {
        const strip = stripOf(grey, line, turned, length, slope)
        const { data, dims } = await reader(strip.values, [1, 1, stripHeight, strip.width])
        const [, classes = 0, columns = 0] = dims
        const one = aligned({ data, classes, columns }, length, masks[row] ?? [])
        if (one === undefined) break
        found.push(one)
        // The wrong way round, or not a zone at all.
        if (one.score < leastScore) break
      }
      if (found.length < ordered.length) continue
      const reading = readFormat(format, found, thisYear)
      if (best === undefined || reading.score > best.score) best = reading
    }
  }
  return best
}

/** How many of the zone's check digits are right decides between readings, then how well they explain the photo. */
export const isBetter = (one: ScoredReading, other: ScoredReading | undefined): boolean =>
  other === undefined ||
  one.zone.wrong.length < other.zone.wrong.length ||
  (one.zone.wrong.length === other.zone.wrong.length && one.score > other.score)

/**
 * The zone in a photo, in whatever direction it is turned; undefined if none is found.
 *
 * @param thisYear to tell the century of a birth
 */
export const readZone = async (
  networks: Networks,
  picture: Picture,
  thisYear: number
): Promise<ZoneReading | undefined> => {
  const expected = { thisYear, formats: ["TD1", "TD2", "TD3"], mayBeTurned: true } as const
  let best: ScoredReading | undefined
  for (const { edge, turned } of looks) {
    const seen = await picture.within(edge, turned)
    const lines = (await textLines(networks.detector, seen)).map((line) =>
      placed(line, seen, turned, picture.grey)
    )
    for (const candidate of candidatesIn(lines)) {
      const reading = await readCandidate(networks.reader, picture.grey, candidate, expected)
      if (reading !== undefined && isBetter(reading, best)) best = reading
      if (best?.zone.wrong.length === 0) return best
    }
  }
  return best !== undefined && best.zone.digits - best.zone.wrong.length >= leastRight ? best : undefined
}
