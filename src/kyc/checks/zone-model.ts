/** What a machine-readable zone of a travel document says (ICAO 9303, parts 3 to 6). */
import {
  type CheckDigit,
  type CheckDigitName,
  type Part,
  type ZoneFormat,
  zoneLayouts
} from "./zone-layouts-model.ts"

const weights = [7, 3, 1]

/** A digit is itself, A to Z are 10 to 35, and the filler is 0. */
const worthOf = (character: string): number => (character === "<" ? 0 : Number.parseInt(character, 36))

/** ICAO 9303 part 3, 4.9. */
export const checkDigitOf = (text: string): number =>
  [...text].reduce((sum, character, index) => sum + worthOf(character) * (weights[index % 3] ?? 0), 0) % 10

const textIn = (lines: ReadonlyArray<string>, { from, line, to }: Part): string =>
  lines[line]?.slice(from, to) ?? ""

const withoutFiller = (text: string): string => text.replace(/<+$/, "")

const isDay = (day: string): boolean => {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

/** `YYMMDD` as `YYYY-MM-DD`; undefined if it is no day, or has fillers for parts that are unknown. */
const dayOf = (text: string, centuryOf: (year: number) => number): string | undefined => {
  const [, year, month, day] = /^(\d\d)(\d\d)(\d\d)$/.exec(text) ?? []
  if (year === undefined) return undefined
  const made = `${centuryOf(Number(year)) + Number(year)}-${month}-${day}`
  return isDay(made) ? made : undefined
}

/** Nobody was born in the future. */
const birthCentury =
  (thisYear: number) =>
  (year: number): number =>
    2000 + year > thisYear ? 1900 : 2000

/** Hardly anybody is older, in years. */
const oldest = 115

/** The other day that a zone may mean by a date of birth, because it gives two digits of the year; undefined if it means only one. */
export const earlierBirth = (day: string, thisYear: number): string | undefined => {
  const year = Number(day.slice(0, 4)) - 100
  return thisYear - year > oldest ? undefined : `${year}${day.slice(4)}`
}

/** No document is valid for longer, in years. */
const longestValidity = 20

const expiryCentury =
  (thisYear: number) =>
  (year: number): number =>
    2000 + year > thisYear + longestValidity ? 1900 : 2000

/** From 0 to 1. A character of which the reader is less sure may be another one, and nothing is filled in by it. */
export const leastSure = 0.8

/** The same of a field whose check digit is right. It is right by chance once in ten, and more often after a character was corrected by it. */
export const leastSureChecked = 0.5

/** What a zone says. A field that is empty, or no day of the calendar, is undefined. */
export interface ZoneFields {
  readonly document_number: string | undefined
  readonly issuer: string | undefined
  readonly nationality: string | undefined
  readonly surname: string | undefined
  readonly given_names: string | undefined
  /** `YYYY-MM-DD`. */
  readonly birth_date: string | undefined
  readonly sex: "F" | "M" | undefined
  /** `YYYY-MM-DD`. */
  readonly expiry_date: string | undefined
}

export interface Zone {
  readonly format: ZoneFormat
  readonly fields: ZoneFields
  /** The check digits that are wrong. */
  readonly wrong: ReadonlyArray<CheckDigitName>
  /** How many check digits the format has. */
  readonly digits: number
  /** The names take the whole line, so they may have been cut. */
  readonly namesFull: boolean
}

/** In which parts of the lines each field is. */
export const fieldParts = ({
  fields,
  format
}: Pick<Zone, "fields" | "format">): Readonly<Record<keyof ZoneFields, ReadonlyArray<Part>>> => {
  const { digits, parts } = zoneLayouts[format]
  const { birth, expiry, issuer, names, nationality, number, optional, sex } = parts
  const filler = digits.filter(({ name }) => name === "document_number").map(({ at }) => at)
  const more = (fields.document_number ?? "").length - (number.to - number.from)
  return {
    // A number that goes on in the optional data, after a filler, has its check digit there, too.
    document_number: more > 0 ? [number, ...filler, { ...optional, to: optional.from + more + 1 }] : [number],
    issuer: [issuer],
    nationality: [nationality],
    surname: [names],
    given_names: [names],
    birth_date: [birth],
    sex: [sex],
    expiry_date: [expiry]
  }
}

const textOr = (text: string): string | undefined => (text === "" ? undefined : text)

/**
 * Reads the lines of a zone.
 *
 * @param lines of the format's length
 * @param thisYear to tell the century of a date
 */
export const zoneOf = (format: ZoneFormat, lines: ReadonlyArray<string>, thisYear: number): Zone => {
  const { digits, parts } = zoneLayouts[format]
  const number = textIn(lines, parts.number)
  // With a filler as check digit, the number goes on in the optional data up to the next filler, and its last character is the check
  // digit (ICAO 9303 parts 5 and 6, note j to the data elements).
  const [numberDigit] = digits
  const [more = ""] = textIn(lines, parts.optional).split("<")
  const goesOn =
    format !== "TD3" && numberDigit !== undefined && textIn(lines, numberDigit.at) === "<" && more.length > 1
  const wholeNumber = goesOn ? number + more.slice(0, -1) : number
  const isRight = ({ at, name, of }: CheckDigit): boolean => {
    if (name === "document_number" && goesOn) return checkDigitOf(wholeNumber) === worthOf(more.slice(-1))
    const covered = of.map((one) => textIn(lines, one)).join("")
    const digit = textIn(lines, at)
    // Only empty optional data may have a filler for its check digit.
    if (digit === "<") return name === "personal_number" && withoutFiller(covered) === ""
    return checkDigitOf(covered) === worthOf(digit)
  }
  const names = textIn(lines, parts.names)
  const [surname = "", givenNames = ""] = withoutFiller(names).split("<<")
  const sex = textIn(lines, parts.sex)
  return {
    format,
    fields: {
      document_number: textOr(withoutFiller(wholeNumber)),
      issuer: textOr(withoutFiller(textIn(lines, parts.issuer))),
      nationality: textOr(withoutFiller(textIn(lines, parts.nationality))),
      surname: textOr(surname.replaceAll("<", " ")),
      given_names: textOr(givenNames.replaceAll("<", " ")),
      birth_date: dayOf(textIn(lines, parts.birth), birthCentury(thisYear)),
      sex: sex === "F" || sex === "M" ? sex : undefined,
      expiry_date: dayOf(textIn(lines, parts.expiry), expiryCentury(thisYear))
    },
    wrong: digits.filter((digit) => !isRight(digit)).map(({ name }) => name),
    digits: digits.length,
    namesFull: !names.endsWith("<")
  }
}
