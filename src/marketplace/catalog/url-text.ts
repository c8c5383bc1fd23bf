/** Reads a text the way a URL parser reads the host of an address. */

export interface Read {
  readonly characters: string
  /** The start and end of each character in the original text; undefined if the positions are the same. */
  readonly starts: ReadonlyArray<number> | undefined
  readonly ends: ReadonlyArray<number> | undefined
}

/** Strips trailing characters. A pattern would search for the end from each one of a long row. */
export const withoutTrailing = (character: string, text: string): string => {
  let end = text.length
  while (text[end - 1] === character) end--
  return text.slice(0, end)
}

const byteAt = (text: string, at: number): number => {
  const digits = text[at] === "%" ? text.slice(at + 1, at + 3) : ""
  return /^[\da-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : -1
}

/** The percent-encoded character at `at`, and its encoded length; undefined if there is no valid one. */
const percentEncoded = (
  text: string,
  at: number
): readonly [character: string, length: number] | undefined => {
  const first = byteAt(text, at)
  if (first < 0) return undefined
  const bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  try {
    return [decodeURIComponent(text.slice(at, at + 3 * bytes)), 3 * bytes]
  } catch {
    return undefined
  }
}

const dots = /[\u3002\uff0e\uff61]/g

/** Lower case, one kind of dot, and no wide, bold or otherwise styled letters (UTS 46). */
const plain = (character: string): string =>
  character
    .replace(dots, ".")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")

/** Maximum units of one character. Characters for whole phrases never occur in a host name. */
const maxUnits = 3

/** The single letter that a letter and the following accent compose; undefined if there is none. */
const composed = (letter: string | undefined, accent: string): string | undefined => {
  if (letter === undefined || !/^\p{M}$/u.test(accent)) return undefined
  const one = (letter + accent).normalize("NFC")
  return one.length === 1 ? one : undefined
}

/** Characters that a URL parser removes from an address before it reads it. */
export const unread = /[\t\n\r]/

export const read = (text: string): Read => {
  const isBroken = text.includes("//") && unread.test(text)
  if (!(isBroken || text.includes("%") || /\P{ASCII}/u.test(text))) {
    return { characters: text.toLowerCase(), starts: undefined, ends: undefined }
  }
  const characters: Array<string> = []
  const starts: Array<number> = []
  const ends: Array<number> = []
  for (let at = 0; at < text.length; ) {
    const written = String.fromCodePoint(text.codePointAt(at) ?? 0)
    const [character, length] = percentEncoded(text, at) ?? [written, written.length]
    if (isBroken && unread.test(character)) {
      at += length
      continue
    }
    const letter = character <= "\u007f" ? undefined : composed(characters.at(-1), character)
    if (letter !== undefined) {
      characters[characters.length - 1] = letter
      ends[ends.length - 1] = at + length
    } else {
      const units = character <= "\u007f" ? character.toLowerCase() : plain(character).slice(0, maxUnits)
      for (const unit of units.split("")) {
        characters.push(unit)
        starts.push(at)
        ends.push(at + length)
      }
      // A character without meaning counts as part of the one before it.
      if (units === "" && ends.length > 0) ends[ends.length - 1] = at + length
    }
    at += length
  }
  return { characters: characters.join(""), starts, ends }
}

export const startOf = ({ starts }: Read, at: number): number => starts?.[at] ?? at

/** The end of the character in the original text. One original character may have become several. */
export const endOf = ({ ends }: Read, at: number): number => ends?.[at] ?? at + 1
