/** The machine-readable zone of travel documents (ICAO 9303, parts 3 to 6). */

export const zoneAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<"

export type ZoneFormat = "TD1" | "TD2" | "TD3"

/** Which characters a place may have: a letter, a digit, either, `M` or `F`; each may be the filler, except the kind of document. */
type Kind = "any" | "digit" | "document" | "letter" | "sex"

interface Part {
  readonly line: number
  readonly from: number
  readonly to: number
}

/** A check digit and the parts that it covers, in the order in which they count. */
interface CheckDigit {
  readonly name: CheckDigitName
  readonly at: Part
  readonly of: ReadonlyArray<Part>
}

type CheckDigitName = "birth_date" | "composite" | "document_number" | "expiry_date" | "personal_number"

interface Layout {
  readonly lines: number
  readonly length: number
  readonly kinds: ReadonlyArray<readonly [Part, Kind]>
  readonly parts: Readonly<
    Record<"birth" | "expiry" | "issuer" | "names" | "nationality" | "number" | "optional" | "sex", Part>
  >
  readonly digits: ReadonlyArray<CheckDigit>
}

const part = (line: number, from: number, to = from + 1): Part => ({ line, from, to })

/** The layout of a zone whose second line has everything but the names: those of TD2 and TD3. */
const twoLines = (length: number, personalNumber: boolean): Layout => {
  const [number, birth, expiry] = [part(1, 0, 9), part(1, 13, 19), part(1, 21, 27)]
  const optional = part(1, 28, personalNumber ? length - 2 : length - 1)
  const parts = {
    issuer: part(0, 2, 5),
    names: part(0, 5, length),
    number,
    nationality: part(1, 10, 13),
    birth,
    sex: part(1, 20),
    expiry,
    optional
  }
  return {
    lines: 2,
    length,
    parts,
    kinds: [
      [part(0, 0), "document"],
      [part(0, 1), "any"],
      [parts.issuer, "letter"],
      [parts.names, "letter"],
      [number, "any"],
      [part(1, 9), "digit"],
      [parts.nationality, "letter"],
      [part(1, 13, 20), "digit"],
      [parts.sex, "sex"],
      [part(1, 21, 28), "digit"],
      [optional, "any"],
      [part(1, optional.to, length), "digit"]
    ],
    digits: [
      { name: "document_number", at: part(1, 9), of: [number] },
      { name: "birth_date", at: part(1, 19), of: [birth] },
      { name: "expiry_date", at: part(1, 27), of: [expiry] },
      ...(personalNumber
        ? [{ name: "personal_number", at: part(1, length - 2), of: [optional] } as const]
        : []),
      {
        name: "composite",
        at: part(1, length - 1),
        of: [part(1, 0, 10), part(1, 13, 20), part(1, 21, length - 1)]
      }
    ]
  }
}

export const zoneLayouts: Readonly<Record<ZoneFormat, Layout>> = {
  TD3: twoLines(44, true),
  TD2: twoLines(36, false),
  TD1: {
    lines: 3,
    length: 30,
    parts: {
      issuer: part(0, 2, 5),
      number: part(0, 5, 14),
      optional: part(0, 15, 30),
      birth: part(1, 0, 6),
      sex: part(1, 7),
      expiry: part(1, 8, 14),
      nationality: part(1, 15, 18),
      names: part(2, 0, 30)
    },
    kinds: [
      [part(0, 0), "document"],
      [part(0, 1), "any"],
      [part(0, 2, 5), "letter"],
      [part(0, 5, 14), "any"],
      [part(0, 14), "digit"],
      [part(0, 15, 30), "any"],
      [part(1, 0, 7), "digit"],
      [part(1, 7), "sex"],
      [part(1, 8, 15), "digit"],
      [part(1, 15, 18), "letter"],
      [part(1, 18, 29), "any"],
      [part(1, 29), "digit"],
      [part(2, 0, 30), "letter"]
    ],
    digits: [
      { name: "document_number", at: part(0, 14), of: [part(0, 5, 14)] },
      { name: "birth_date", at: part(1, 6), of: [part(1, 0, 6)] },
      { name: "expiry_date", at: part(1, 14), of: [part(1, 8, 14)] },
      {
        name: "composite",
        at: part(1, 29),
        of: [part(0, 5, 30), part(1, 0, 7), part(1, 8, 15), part(1, 18, 29)]
      }
    ]
  }
}

const permitted: Readonly<Record<Kind, RegExp>> = {
  any: /[0-9A-Z<]/,
  digit: /[0-9<]/,
  document: /[ACIP]/,
  letter: /[A-Z<]/,
  sex: /[FM<]/
}

const masks = new Map<ZoneFormat, ReadonlyArray<ReadonlyArray<ReadonlyArray<boolean>>>>()

/** By line, by place: whether each character of the alphabet may be there. */
export const permittedIn = (format: ZoneFormat): ReadonlyArray<ReadonlyArray<ReadonlyArray<boolean>>> => {
  const known = masks.get(format)
  if (known !== undefined) return known
  const { kinds, length, lines } = zoneLayouts[format]
  const made = Array.from({ length: lines }, (_, line) =>
    Array.from({ length }, (_, place) => {
      const [, kind] = kinds.find(
        ([{ from, line: of, to }]) => of === line && place >= from && place < to
      ) ?? [undefined, "any" as const]
      return [...zoneAlphabet].map((character) => permitted[kind].test(character))
    })
  )
  masks.set(format, made)
  return made
}

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
export const fieldParts = (format: ZoneFormat): Readonly<Record<keyof ZoneFields, Part>> => {
  const { birth, expiry, issuer, names, nationality, number, sex } = zoneLayouts[format].parts
  return {
    document_number: number,
    issuer,
    nationality,
    surname: names,
    given_names: names,
    birth_date: birth,
    sex,
    expiry_date: expiry
  }
}

const textOr = (text: string): string | undefined => (text === "" ? undefined : text)

/**
 * Reads the lines of a zone.
 *
 * @param lines of the format's length
 * @param thisYear to tell the century of a birth
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
      expiry_date: dayOf(textIn(lines, parts.expiry), () => 2000)
    },
    wrong: digits.filter((digit) => !isRight(digit)).map(({ name }) => name),
    digits: digits.length,
    namesFull: !names.endsWith("<")
  }
}
