import { domainToUnicode } from "node:url"
import type { Allowance } from "./allowance.ts"
import { gatewayPath } from "./model.ts"
import { endOf, type Read, read, startOf, unread } from "./url-text.ts"

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
