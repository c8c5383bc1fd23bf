/** The machine-readable zone of travel documents (ICAO 9303, parts 3 to 6). */

/** What the zone says of its document. */
export interface Zone {
  readonly number: string
  /** The issuing state as written, such as `EST` or `D`. */
  readonly country: string
  /** `YYYY-MM-DD`. */
  readonly expiry: string | undefined
  /** Whether every check digit that is looked at is right. */
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

/** A date of expiry: no document is valid for so long that its century could be another. */
const expiryOf = (field: string): string | undefined => {
  const [, year, month, day] = /^(\d\d)(\d\d)(\d\d)$/.exec(field) ?? []
  return year === undefined ? undefined : `20${year}-${month}-${day}`
}

/** Where the fields of a format are: line and first column of each. */
interface Format {
  readonly lines: number
  readonly width: number
  readonly country: readonly [line: number, start: number]
  readonly number: readonly [line: number, start: number]
  /** The optional data that a number of more than nine characters goes on in, where the format has that. */
  readonly rest: readonly [line: number, start: number, end: number] | undefined
  readonly expiry: readonly [line: number, start: number]
  /** What the composite check digit is made over: line, start and end of each part. */
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
 * A document number and its check digit. A filler in the digit's place says that the number goes on in the optional data, up to
 * a filler, with the digit last (ICAO 9303 parts 5 and 6, note j to the data elements).
 */
const numberIn = (field: string, digit: string, rest: string): readonly [number: string, digit: string] => {
  const [more = ""] = rest.split("<")
  return digit === "<" && more.length > 1 ? [field + more.slice(0, -1), more.slice(-1)] : [field, digit]
}

/** Reads a zone as it was typed, in two or three lines; undefined when it is none. */
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
