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

/** What gives an upstream away. A host of one label may be a word like any other, unless it stands in an address. */
const tracesOf = (upstream: string, replacement: string): ReadonlyArray<Trace> => {
  const { hostname, pathname } = new URL(upstream)
  const host = hostname.replace(/\.$/, "")
  if (host === "") return []
  return [...new Set([host, domainToUnicode(host)])].flatMap((name) => {
    const written = RegExp.escape(name)
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
 * Text, or the text of JSON, without the addresses of the upstreams: one below an upstream's base becomes the path by which
 * the gateway serves it; another of its host, and the bare name of the host, is made unusable.
 */
export const withoutUpstreams = (place: Addressed): ((text: string) => string) => {
  const traces = place.upstreams.flatMap((upstream) => tracesOf(upstream, gatewayPath(place)))
  return (text) =>
    traces.reduce((rest, { mentions, replacement }) => rest.replace(mentions, () => replacement), text)
}
