import { domainToUnicode } from "node:url"
import type { Allowance } from "./allowance.ts"
import type { VersionPlace } from "./exported-names.ts"
import { gatewayPath } from "./model.ts"
import { endOf, type Read, read, startOf, unread, withoutTrailing } from "./url-text.ts"

/** Replaces an upstream's host; it belongs to nobody (RFC 6761). */
const nobody = "upstream.invalid"

/** An upstream on a host: the path of its base URL, and its replacement. */
interface Base {
  readonly path: string
  readonly replacement: string
}

interface Host {
  /** In lower case. */
  readonly name: string
  /** A numeric address has many spellings: `127.0.0.1` is also `127.1` and `0x7f000001`. */
  readonly isNumeric: boolean
  /** A single-label host may be an ordinary word, unless it stands in an address. */
  readonly isWord: boolean
  /** Longest path first. */
  readonly bases: ReadonlyArray<Base>
}

const hostsOf = (places: ReadonlyArray<VersionPlace>): ReadonlyArray<Host> => {
  const named = places.flatMap((place) =>
    place.upstreams.flatMap((upstream) => {
      const { hostname, pathname } = new URL(upstream)
      const ascii = hostname.replace(/\.$/, "")
      const base = { path: pathname.replace(/\/+$/, "").toLowerCase(), replacement: gatewayPath(place) }
      return [...new Set([ascii, domainToUnicode(ascii)])].map((name) => ({ name, base }))
    })
  )
  return [...Map.groupBy(named, ({ name }) => name)].flatMap(([name, below]) =>
    name === ""
      ? []
      : {
          name,
          isNumeric: /^(?:[\d.]+|\[.*\])$/.test(name),
          isWord: !/[.:]/.test(name),
          bases: below.map(({ base }) => base).toSorted((a, b) => b.path.length - a.path.length)
        }
  )
}

/** Start and end of each occurrence of the host in the text. They do not overlap. */
const namings = (
  text: Read,
  { name }: Host,
  steps: Allowance
): ReadonlyArray<readonly [start: number, end: number]> => {
  const found: Array<readonly [number, number]> = []
  const { characters } = text
  steps.take(characters.length)
  for (let at = characters.indexOf(name); at !== -1; at = characters.indexOf(name, at + name.length)) {
    found.push([startOf(text, at), endOf(text, at + name.length - 1)])
  }
  return found
}

/** Where the host occurs in addresses, in any spelling of its numbers. Reads each candidate once. */
const spellings = (
  text: Read,
  { name }: Host,
  steps: Allowance
): ReadonlyArray<readonly [start: number, end: number]> => {
  const { characters } = text
  steps.take(characters.length)
  const candidates = characters.matchAll(/(?:\/\/|@)([\da-fx.]+|\[[\da-f:.]+\])/g)
  return [...candidates].flatMap(({ 0: found, 1: written = "", index }) => {
    // A trailing dot may end a sentence.
    const host = withoutTrailing(".", written)
    if (URL.parse(`http://${host}`)?.hostname !== name) return []
    const from = index + found.length - written.length
    return [[startOf(text, from), endOf(text, from + host.length - 1)] as const]
  })
}

/** Maximum characters searched before a broken name for the start of its address. */
const longestFront = 255

/** Whether a name, broken by characters that only a URL parser removes, stands in an address. */
const isInAddress = (text: string, start: number, steps: Allowance): boolean => {
  steps.take(longestFront)
  return /\/\/[^/ ]*$/.test(text.slice(Math.max(0, start - longestFront), start))
}

/** The end of the port that begins at `at`; `at` itself if there is none. */
const portEnd = (text: string, at: number): number => {
  const port = /:\d+/y
  port.lastIndex = at
  return port.test(text) ? port.lastIndex : at
}

/** Whether an address may end at this position. */
const isEnd = (text: string, at: number): boolean => at >= text.length || /[^\w.~%-]/.test(text[at] ?? "")

/** The start of the address with its host at `host`; undefined if no `//` precedes it. */
const addressStart = (text: string, host: number): number | undefined => {
  const [before] = /(?:https?:)?\/\/$/i.exec(text.slice(Math.max(0, host - "https://".length), host)) ?? []
  return before === undefined ? undefined : host - before.length
}

interface Naming {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

/** What to replace around a host's name, and by what; undefined if the name is only a word. */
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
 * Removes the upstreams' addresses from a string. An address below an upstream's base becomes the gateway's
 * path for it. Any other address of the host, and its bare name, becomes unusable. Recognises every form of a
 * host that a URL parser accepts: percent-encoded, in capitals, with equivalent dots and letters, broken by
 * tabs and line feeds, and in any spelling of its numbers.
 *
 * Not for JSON text: a name that begins with `n` would match the end of the escape `\\n`, and break it. Uses
 * no patterns for names, so the steps grow linearly with the text.
 */
export const withoutUpstreams = (
  places: ReadonlyArray<VersionPlace>,
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
      // Of two with the same start, the longer first: it contains the other.
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
