/** Reads lines as a machine-readable zone. The hosted page does it by the same code. */
import type { Network } from "./networks.ts"
import type { Grey } from "./sampling.ts"
import { type AlignedLine, aligned } from "./zone-alignment.ts"
import type { Candidate } from "./zone-candidates.ts"
import { permittedIn, type ZoneFormat, zoneAlphabet, zoneLayouts } from "./zone-layouts-model.ts"
import { fieldParts, type ZoneFields, zoneOf } from "./zone-model.ts"
import { stripHeight, stripOf } from "./zone-strips.ts"

export interface ZoneReading {
  readonly format: ZoneFormat
  readonly lines: ReadonlyArray<string>
  readonly zone: ReturnType<typeof zoneOf>
  /** By field: how sure the reader is of its least certain character, from 0 to 1. */
  readonly confidence: Readonly<Record<keyof ZoneFields, number>>
  /** How sure it is of all characters, on average, from 0 to 1. */
  readonly sureness: number
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

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

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
export type ScoredReading = ZoneReading & { readonly score: number }

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
  const zone = zoneOf(format, lines, thisYear)
  const parts = fieldParts(zone)
  const sureOf = (field: keyof ZoneFields): number => {
    const sure = parts[field].flatMap(({ from, line, to }) => {
      const text = lines[line]?.slice(from, to) ?? ""
      // The fillers that end the names say little, but one letter among them would be one too many.
      const end = field === "surname" || field === "given_names" ? text.replace(/<+$/, "").length : to - from
      return (characters[line] ?? []).slice(from, from + Math.max(1, end))
    })
    return Math.min(...sure.map((character) => character.sure))
  }
  const fields = Object.keys(parts) as ReadonlyArray<keyof ZoneFields>
  return {
    format,
    lines,
    zone,
    // The cast: `fields` are the keys.
    confidence: Object.fromEntries(
      fields.map((field) => [field, Math.round(sureOf(field) * 1000) / 1000])
    ) as ZoneReading["confidence"],
    sureness: mean(characters.flat().map(({ sure }) => sure)),
    score: mean(found.map(({ score }) => score))
  }
}

const lengths: Readonly<Record<2 | 3, ReadonlyArray<ZoneFormat>>> = { 2: ["TD3", "TD2"], 3: ["TD1"] }

/** Below this, what was found in a line is not text of a zone. */
const leastScore = -0.25

/** At least so many check digits are right: one may be by chance. */
const leastRight = 2

/** Other text was read with a sureness of at most 0.63, zones that are too blurred for most fields with at least 0.8 (`docs/checks.md`). */
const leastSureness = 0.7

/** Whether what was read is a zone, and not two lines of other text. */
export const isZone = ({ sureness, zone }: Pick<ZoneReading, "sureness" | "zone">): boolean =>
  zone.digits - zone.wrong.length >= leastRight && sureness >= leastSureness

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
        // The wrong way round, or not a zone at all.
        if (one.score < leastScore) break
        found.push(one)
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
