/** The machine-readable zone of travel documents (ICAO 9303, parts 3 to 6). */

const weights = [7, 3, 1]

const characterValue = (character: string): number => {
  if (character === "<") return 0
  const code = character.charCodeAt(0)
  return code >= 65 ? code - 55 : code - 48
}

/** ICAO 9303 part 3, 4.9. */
export const checkDigit = (field: string): number =>
  [...field].reduce(
    (sum, character, index) => sum + characterValue(character) * (weights[index % 3] ?? 0),
    0
  ) % 10

const holds = (field: string, digit: string): boolean =>
  checkDigit(field) === (digit === "<" ? 0 : Number.parseInt(digit, 10))

/** No document is valid for long enough to make the century ambiguous. */
const expiryOf = (field: string): string | undefined => {
  const [, year, month, day] = /^(\d\d)(\d\d)(\d\d)$/.exec(field) ?? []
  return year === undefined ? undefined : `20${year}-${month}-${day}`
}

/**
 * The lines of each format. The groups between the country and the last digit are what that composite check digit
 * covers. A document number of more than nine characters continues in `rest`.
 */
const formats = [
  // TD3: passports.
  [
    /..(?<country>...).{39}/,
    /(?<number>.{9})(?<numberDigit>.)...(.{7}).(?<expiry>.{6})(?<expiryDigit>.)(.{15})(?<digit>.)/
  ],
  // TD2.
  [
    /..(?<country>...).{31}/,
    /(?<number>.{9})(?<numberDigit>.)...(.{7}).(?<expiry>.{6})(?<expiryDigit>.)(?<rest>.{7})(?<digit>.)/
  ],
  // TD1: identity cards.
  [
    /..(?<country>...)(?<number>.{9})(?<numberDigit>.)(?<rest>.{15})/,
    /(.{7}).(?<expiry>.{6})(?<expiryDigit>.)...(.{11})(?<digit>.)/,
    /.{30}/
  ]
].map((lines) => new RegExp(`^${lines.map(({ source }) => source).join("\n")}$`))

const withoutFiller = (field: string): string => field.replace(/<+$/, "")

/**
 * With a filler as check digit, the number continues in the optional data up to the next filler, and its last
 * character is the check digit (ICAO 9303 parts 5 and 6, note j to the data elements).
 */
const numberIn = (field: string, digit: string, rest: string): readonly [number: string, digit: string] => {
  const [more = ""] = rest.split("<")
  return digit === "<" && more.length > 1 ? [field + more.slice(0, -1), more.slice(-1)] : [field, digit]
}

/** Undefined if the text is not such a zone. */
export const readZone = (typed: string) => {
  const zone = typed
    .toUpperCase()
    .replaceAll("«", "<<")
    .replace(/[^\S\n]+/g, "")
    .replace(/\n+/g, "\n")
    .replace(/^\n|\n$/g, "")
  const read = /[^A-Z0-9<\n]/.test(zone) ? null : formats.map((format) => format.exec(zone)).find(Boolean)
  if (!read) return undefined
  const {
    country = "",
    digit = "",
    expiry = "",
    expiryDigit = "",
    number = "",
    numberDigit = "",
    rest = ""
  } = read.groups ?? {}
  const [fullNumber, fullNumberDigit] = numberIn(number, numberDigit, rest)
  return {
    number: withoutFiller(fullNumber),
    /** The issuing state as written, such as `EST` or `D`. */
    country: withoutFiller(country),
    /** `YYYY-MM-DD`. */
    expiry: expiryOf(expiry),
    valid:
      holds(fullNumber, fullNumberDigit) &&
      holds(expiry, expiryDigit) &&
      holds(read.slice(2, -1).join(""), digit)
  }
}
