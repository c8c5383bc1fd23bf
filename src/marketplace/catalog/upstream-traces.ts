import { domainToUnicode } from "node:url"
import type { Allowance } from "./allowance.ts"
import { gatewayPath } from "./model.ts"

/** Stands where an upstream's host was named; it is nobody's (RFC 6761). */
const nobody = "upstream.invalid"

interface Addressed {
  readonly publisherSlug: string
  readonly apiSlug: string
  readonly version: string
  readonly upstreams: ReadonlyArray<string>
}

/** An upstream below a host: the path of its base, and what stands in its place. */
interface Base {
  readonly path: string
  readonly replacement: string
}

interface Host {
  /** In lower case. */
  readonly name: string
  /** By how much less of the name than is read already the search goes on, when the next character differs. */
  readonly fallbacks: ReadonlyArray<number>
  /** An address of numbers has many spellings: `127.0.0.1` is `127.1` and `0x7f000001`, too. */
  readonly isNumeric: boolean
  /** A host of one label may be a word like any other, unless it stands in an address. */
  readonly isWord: boolean
  /** The longest path first. */
  readonly bases: ReadonlyArray<Base>
}

/** By length of a beginning of the name: the length of the longest shorter one that it ends with (Knuth, Morris, Pratt). */
const fallbacksOf = (name: string): ReadonlyArray<number> => {
  const fallbacks = [0, 0]
  let length = 0
  for (let at = 1; at < name.length; at++) {
    while (length > 0 && name[at] !== name[length]) length = fallbacks[length] ?? 0
    if (name[at] === name[length]) length++
    fallbacks.push(length)
  }
  return fallbacks
}

const hostsOf = (places: ReadonlyArray<Addressed>): ReadonlyArray<Host> => {
  const bases = new Map<string, Array<Base>>()
  for (const place of places) {
    for (const upstream of place.upstreams) {
      const { hostname, pathname } = new URL(upstream)
      const ascii = hostname.replace(/\.$/, "")
      const base = { path: pathname.replace(/\/+$/, "").toLowerCase(), replacement: gatewayPath(place) }
      for (const name of new Set([ascii, domainToUnicode(ascii)])) {
        if (name !== "") bases.set(name, [...(bases.get(name) ?? []), base])
      }
    }
  }
  return [...bases].map(([name, below]) => ({
    name,
    fallbacks: fallbacksOf(name),
    isNumeric: /^(?:[\d.]+|\[.*\])$/.test(name),
    isWord: !/[.:]/.test(name),
    bases: below.toSorted((a, b) => b.path.length - a.path.length)
  }))
}

/** A text as a URL's parser reads a host in it. */
interface Read {
  readonly characters: string
  /** Where in the text each character begins, and where it ends; undefined where they are those of the text. */
  readonly starts: ReadonlyArray<number> | undefined
  readonly ends: ReadonlyArray<number> | undefined
}

const byteAt = (text: string, at: number): number => {
  const digits = text[at] === "%" ? text.slice(at + 1, at + 3) : ""
  return /^[\da-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : -1
}

/** The percent-encoded character that begins at `at`, and its length as it is written; none when there is no good one. */
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

/** As in the name of a host: in lower case, with dots of one kind, and no wide, bold or otherwise dressed-up letters (UTS 46). */
const plain = (character: string): string =>
  character
    .replace(dots, ".")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")

const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}

/** Characters that one character of a text is read as, at most; those that stand for whole phrases are in no name of a host. */
const maxUnits = 3

/** A letter and the accent behind it as the one letter that they make; undefined when there is none. */
const composed = (letter: string | undefined, accent: string): string | undefined => {
  if (letter === undefined || !/^\p{M}$/u.test(accent)) return undefined
  const one = (letter + accent).normalize("NFC")
  return one.length === 1 ? one : undefined
}

/** What a URL's parser takes out of an address before it reads it. */
const unread = /[\t\n\r]/

const read = (text: string): Read => {
  const isBroken = text.includes("//") && unread.test(text)
  if (!(isBroken || text.includes("%")) && isAscii(text)) {
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
      // What means nothing goes with the character before it.
      if (units === "" && ends.length > 0) ends[ends.length - 1] = at + length
    }
    at += length
  }
  return { characters: characters.join(""), starts, ends }
}

/** Where in the text the character begins. */
const startOf = ({ starts }: Read, at: number): number => starts?.[at] ?? at

/** Where the character ends. One of the text may have become several. */
const endOf = ({ ends }: Read, at: number): number => ends?.[at] ?? at + 1

/** Where the host is in the text: beginnings and ends, in their order. None overlaps another of the same host. */
const namings = (
  text: Read,
  { fallbacks, name }: Host,
  steps: Allowance
): ReadonlyArray<readonly [start: number, end: number]> => {
  const found: Array<readonly [number, number]> = []
  const { characters } = text
  let length = 0
  let looks = 0
  for (let at = 0; at < characters.length; at++) {
    looks++
    while (length > 0 && characters[at] !== name[length]) {
      length = fallbacks[length] ?? 0
      looks++
    }
    if (characters[at] === name[length]) length++
    if (length < name.length) continue
    found.push([startOf(text, at + 1 - length), endOf(text, at)])
    length = 0
  }
  steps.take(looks)
  return found
}

/** Without those at its end, which may be the end of a sentence. */
const withoutDots = (host: string): string => {
  let end = host.length
  while (host[end - 1] === ".") end--
  return host.slice(0, end)
}

/** Where the host is in addresses in any spelling of its numbers. Each candidate is read once. */
const spellings = (
  text: Read,
  { name }: Host,
  steps: Allowance
): ReadonlyArray<readonly [start: number, end: number]> => {
  const { characters } = text
  steps.take(characters.length)
  const candidates = characters.matchAll(/(?:\/\/|@)([\da-fx.]+|\[[\da-f:.]+\])/g)
  return [...candidates].flatMap(({ 0: found, 1: written = "", index }) => {
    const host = withoutDots(written)
    if (URL.parse(`http://${host}`)?.hostname !== name) return []
    const from = index + found.length - written.length
    return [[startOf(text, from), endOf(text, from + host.length - 1)] as const]
  })
}

/** Characters of an address that are in front of a name in it, at most, where the name is broken. */
const longestFront = 255

/** Whether what is broken by characters that only a URL's parser takes out is in an address. */
const isInAddress = (text: string, start: number, steps: Allowance): boolean => {
  steps.take(longestFront)
  return /\/\/[^/ ]*$/.test(text.slice(Math.max(0, start - longestFront), start))
}

const isDigit = (character: string | undefined): boolean =>
  character !== undefined && character >= "0" && character <= "9"

/** Where the port that begins at `at` ends; `at` itself when there is none. */
const portEnd = (text: string, at: number): number => {
  if (text[at] !== ":" || !isDigit(text[at + 1])) return at
  let end = at + 1
  while (isDigit(text[end])) end++
  return end
}

/** Whether an address may end there. */
const isEnd = (text: string, at: number): boolean => at >= text.length || /[^\w.~%-]/.test(text[at] ?? "")

/** Where the address begins whose host is at `host`; undefined when no `//` is in front of it. */
const addressStart = (text: string, host: number): number | undefined => {
  if (text.slice(Math.max(0, host - 2), host) !== "//") return undefined
  const scheme = /https?:$/i.exec(text.slice(Math.max(0, host - 8), host - 2))?.[0] ?? ""
  return host - 2 - scheme.length
}

interface Naming {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

/** What of the text around the name of a host goes with it, and what takes its place; undefined where it is only a word. */
const namingAt = (
  text: string,
  { bases, isWord }: Host,
  [start, end]: readonly [number, number],
  steps: Allowance
): Naming | undefined => {
  if (unread.test(text.slice(start, end)) && !isInAddress(text, start, steps)) return undefined
  const from = addressStart(text, start)
  const port = portEnd(text, end)
  if (from !== undefined) {
    const behind = text[end] === "." ? portEnd(text, end + 1) : port
    for (const { path, replacement } of bases) {
      steps.take(path.length)
      const until = behind + path.length
      if (text.slice(behind, until).toLowerCase() === path && isEnd(text, until)) {
        return { start: from, end: until, replacement }
      }
    }
  }
  if (!isWord) return { start, end, replacement: nobody }
  if (from !== undefined && isEnd(text, port)) return { start, end: port, replacement: nobody }
  const standsAlone = start === 0 || /[^\w.-]/.test(text[start - 1] ?? "")
  return standsAlone && port > end ? { start, end: port, replacement: nobody } : undefined
}

/**
 * A string without the addresses of the upstreams: one below an upstream's base becomes the path by which the gateway serves
 * it; another of its host, and the bare name of the host, is made unusable. A host is found in all the ways in which a URL's
 * parser reads it: percent-encoded, in capitals, with dots and letters of other scripts that mean the same, broken by tabs and line
 * feeds, and in any spelling of its numbers.
 *
 * Never for the text of JSON: a name that begins with `n` would match the end of the escape `\\n`, and leave a broken one.
 * By hand and not by patterns, so that the steps it takes grow with the text, whatever is in it.
 */
export const withoutUpstreams = (
  places: ReadonlyArray<Addressed>,
  steps: Allowance
): ((text: string) => string) => {
  const hosts = hostsOf(places)
  return (text) => {
    steps.take(text.length)
    const characters = read(text)
    const found = hosts
      .flatMap((host) =>
        [
          ...namings(characters, host, steps),
          ...(host.isNumeric ? spellings(characters, host, steps) : [])
        ].flatMap((where) => namingAt(text, host, where, steps) ?? [])
      )
      // Of two that begin together the longer one: it has the other in it.
      .sort((a, b) => a.start - b.start || b.end - a.end)
    if (found.length === 0) return text
    steps.take(found.length)
    const parts: Array<string> = []
    let done = 0
    for (const { end, replacement, start } of found) {
      if (start < done) continue
      parts.push(text.slice(done, start), replacement)
      done = end
    }
    return parts.join("") + text.slice(done)
  }
}
