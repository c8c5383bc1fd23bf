/** The machine-readable zone of travel documents (ICAO 9303, parts 3 to 6). */

/** The document data that the zone holds. */
export interface Zone {
  readonly number: string
  /** The issuing state as written, such as `EST` or `D`. */
  readonly country: string
  /** `YYYY-MM-DD`. */
  readonly expiry: string | undefined
  /** Whether every verified check digit is correct. */
  readonly valid: boolean
}

const weights = [7, 3, 1]

const characterValue = (character: string): number => {
  if (character === "<") return 0
  const code = character.charCodeAt(0)
  return code >= 65 ? code - 55 : code - 48
}

/** The check digit of a field: weights 7, 3, 1, modulo 10 (ICAO 9303 part 3, 4.9). */
export const checkDigit = (field: string): number =>
  [...field].reduce(
    (sum, character, index) => sum + characterValue(character) * (weights[index % 3] ?? 0),
    0
  ) % 10

const holds = (field: string, digit: string): boolean =>
  checkDigit(field) === (digit === "<" ? 0 : Number.parseInt(digit, 10))

/** A date of expiry. No document is valid for long enough to make the century ambiguous. */
const expiryOf = (field: string): string | undefined => {
  const [, year, month, day] = /^(\d\d)(\d\d)(\d\d)$/.exec(field) ?? []
  return year === undefined ? undefined : `20${year}-${month}-${day}`
}

/** The layout of a format: line and first column of each field. */
interface Format {
  readonly lines: number
  readonly width: number
  readonly country: readonly [line: number, start: number]
  readonly number: readonly [line: number, start: number]
  /** The optional data field, where a document number of more than nine characters continues, if the format allows that. */
  readonly rest: readonly [line: number, start: number, end: number] | undefined
  readonly expiry: readonly [line: number, start: number]
  /** The parts that the composite check digit covers: line, start and end of each. */
  readonly composite: ReadonlyArray<readonly [line: number, start: number, end: number]>
  readonly compositeDigit: readonly [line: number, start: number]
}

const formats: ReadonlyArray<Format> = [
  {
    // TD3: passports.
    lines: 2,
    width: 44,
    country: [0, 2],
    number: [1, 0],
    rest: undefined,
    expiry: [1, 21],
    composite: [
      [1, 0, 10],
      [1, 13, 20],
      [1, 21, 43]
    ],
    compositeDigit: [1, 43]
  },
  {
    // TD2.
    lines: 2,
    width: 36,
    country: [0, 2],
    number: [1, 0],
    rest: [1, 28, 35],
    expiry: [1, 21],
    composite: [
      [1, 0, 10],
      [1, 13, 20],
      [1, 21, 35]
    ],
    compositeDigit: [1, 35]
  },
  {
    // TD1: identity cards.
    lines: 3,
    width: 30,
    country: [0, 2],
    number: [0, 5],
    rest: [0, 15, 30],
    expiry: [1, 8],
    composite: [
      [0, 5, 30],
      [1, 0, 7],
      [1, 8, 15],
      [1, 18, 29]
    ],
    compositeDigit: [1, 29]
  }
]

const withoutFiller = (field: string): string => field.replace(/<+$/, "")

/**
 * A document number and its check digit. If the digit's place holds a filler, the number continues in the optional data
 * up to the next filler, and its last character is the check digit (ICAO 9303 parts 5 and 6, note j to the data
 * elements).
 */
const numberIn = (field: string, digit: string, rest: string): readonly [number: string, digit: string] => {
  const [more = ""] = rest.split("<")
  return digit === "<" && more.length > 1 ? [field + more.slice(0, -1), more.slice(-1)] : [field, digit]
}

/** Reads a zone typed in two or three lines; undefined if it is none. */
export const readZone = (typed: string): Zone | undefined => {
  const lines = typed
    .toUpperCase()
    .replaceAll("«", "<<")
    .split(/\n+/)
    .map((line) => line.replace(/\s+/g, ""))
    .filter((line) => line !== "")
  const format = formats.find(
    ({ lines: count, width }) =>
      lines.length === count && lines.every((line) => line.length === width && /^[A-Z0-9<]+$/.test(line))
  )
  if (format === undefined) return undefined
  const part = (line: number, start: number, end: number) => (lines[line] ?? "").slice(start, end)
  const [numberField, numberDigit] = numberIn(
    part(format.number[0], format.number[1], format.number[1] + 9),
    part(format.number[0], format.number[1] + 9, format.number[1] + 10),
    format.rest === undefined ? "" : part(...format.rest)
  )
  const expiryField = part(format.expiry[0], format.expiry[1], format.expiry[1] + 6)
  const expiryDigit = part(format.expiry[0], format.expiry[1] + 6, format.expiry[1] + 7)
  const composite = format.composite.map((range) => part(...range)).join("")
  const [digitLine, digitAt] = format.compositeDigit
  return {
    number: withoutFiller(numberField),
    country: withoutFiller(part(format.country[0], format.country[1], format.country[1] + 3)),
    expiry: expiryOf(expiryField),
    valid:
      holds(numberField, numberDigit) &&
      holds(expiryField, expiryDigit) &&
      holds(composite, part(digitLine, digitAt, digitAt + 1))
  }
}
