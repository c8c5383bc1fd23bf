import { domainToUnicode } from "node:url"
import { gatewayPath } from "./model.ts"

/** Stands where an upstream's host was named; it is nobody's (RFC 6761). */
const nobody = "upstream.invalid"

interface Addressed {
  readonly publisherSlug: string
  readonly apiSlug: string
  readonly version: string
  readonly upstreams: ReadonlyArray<string>
}

interface Trace {
  readonly mentions: RegExp
  readonly replacement: string
}

const ends = "(?=[^\\w.~%-]|$)"

/** The bytes of the character as a URL may have them. */
const percentEncoded = (character: string): string =>
  [...new TextEncoder().encode(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")

/**
 * A pattern for a host in all the ways that a URL's parser reads as it: each character as it is or percent-encoded, letters of
 * either case, and dots of other scripts (RFC 3490, section 3.1).
 */
const writtenHost = (host: string): string =>
  [...host]
    .map((character) => {
      const forms =
        character === "."
          ? [".", "\u3002", "\uff0e", "\uff61"]
          : [...new Set([character, character.toUpperCase()])].filter((form) => [...form].length === 1)
      return `(?:${forms.flatMap((form) => [RegExp.escape(form), RegExp.escape(percentEncoded(form))]).join("|")})`
    })
    .join("")

/** What gives an upstream away. A host of one label may be a word like any other, unless it stands in an address. */
const tracesOf = (upstream: string, replacement: string): ReadonlyArray<Trace> => {
  const { hostname, pathname } = new URL(upstream)
  const host = hostname.replace(/\.$/, "")
  if (host === "") return []
  return [...new Set([host, domainToUnicode(host)])].flatMap((name) => {
    const written = writtenHost(name)
    const base = RegExp.escape(pathname.replace(/\/+$/, ""))
    const address = {
      mentions: new RegExp(`(?:https?:)?//${written}\\.?(?::\\d+)?${base}${ends}`, "gi"),
      replacement
    }
    return /[.:]/.test(name)
      ? [address, { mentions: new RegExp(written, "gi"), replacement: nobody }]
      : [
          address,
          { mentions: new RegExp(`//${written}(?::\\d+)?${ends}`, "gi"), replacement: `//${nobody}` },
          { mentions: new RegExp(`(?<![\\w.-])${written}:\\d+`, "gi"), replacement: nobody }
        ]
  })
}

/**
 * A string without the addresses of the upstreams: one below an upstream's base becomes the path by which the gateway serves
 * it; another of its host, and the bare name of the host, is made unusable. Never for the text of JSON: a name that begins with
 * `n` would match the end of the escape `\\n`, and leave a broken one.
 */
export const withoutUpstreams = (place: Addressed): ((text: string) => string) => {
  const traces = place.upstreams.flatMap((upstream) => tracesOf(upstream, gatewayPath(place)))
  return (text) =>
    traces.reduce((rest, { mentions, replacement }) => rest.replace(mentions, () => replacement), text)
}
