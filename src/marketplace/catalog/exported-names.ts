/** The names of a version in the description of published APIs. */
import { type JsonObject, objectOf } from "../../shared/json.ts"
import { parsePointer, writePointer } from "./openapi-references.ts"

export interface VersionPlace {
  readonly publisherSlug: string
  readonly apiSlug: string
  readonly version: string
  readonly upstreamUrl: string
}

/** Where the gateway serves a version. */
export type PublishedPlace = Omit<VersionPlace, "upstreamUrl">

/** The path at which the gateway serves a version, below its own address. */
export const gatewayPath = (place: PublishedPlace): string =>
  `/${place.publisherSlug}/${place.apiSlug}/v/${place.version}`

/** Maximum bytes of one document in the description, and of all documents of one publisher. */
export const maxExportedSize = 4_194_304

/** Maximum characters of the document's first server URL, which may prefix each of its paths. */
const maxServerLength = 2_048

/** The document's first server URL, with its variables at their defaults; undefined if it is too long. */
export const serverAddress = (document: JsonObject): string | undefined => {
  const [server] = Array.isArray(document.servers) ? document.servers : []
  const { url = "", variables } = objectOf(server)
  const defaultOf = (name: string) => String(objectOf(objectOf(variables)[name]).default ?? "")
  if (typeof url !== "string" || url.length > maxServerLength) return undefined
  // Bounds each variable before it is inserted as often as the URL names it.
  const filled = url.replaceAll(/\{([^{}]*)\}/g, (_, name: string) =>
    defaultOf(name).slice(0, maxServerLength + 1)
  )
  return filled.length > maxServerLength ? undefined : filled
}

const pathOf = (url: string): string =>
  (URL.parse(url, "http://document.invalid")?.pathname ?? "").replace(/(?<!\/)\/+$/, "")

/** The path of that URL, normalised, without trailing slashes. */
export const serverPath = (document: JsonObject): string => pathOf(serverAddress(document) ?? "")

/** What the first server's path adds to the upstream's. The gateway cannot follow servers of operations. */
const pathBelow = (upstream: string, document: JsonObject): string => {
  const path = serverPath(document)
  return path.startsWith(`${pathOf(upstream)}/`) ? path.slice(pathOf(upstream).length) : ""
}

/** A client that appends a path to an address would take a `#` for the start of a fragment. */
export const withoutFragment = (path: string): string =>
  path.replaceAll(/\{[^{}]*\}|#/g, (found) => (found === "#" ? "%23" : found))

/** The tag of all operations in a version without tags of its own. */
export const versionTag = ({ apiSlug, publisherSlug, version }: PublishedPlace): string =>
  `${publisherSlug}/${apiSlug} ${version}`

/** The names of a version in the description. Beyond a total size they are empty: a short one may become a long one. */
export const namesOf = (place: VersionPlace, document: JsonObject) => {
  const { apiSlug, publisherSlug, upstreamUrl, version } = place
  const base = gatewayPath(place) + pathBelow(upstreamUrl, document)
  let left = 2 * maxExportedSize
  const made = (text: string): string => {
    left -= text.length
    return left < 0 ? "" : text
  }

  /** Unique for components, operations and webhooks: no slug and no version contains a `_`. */
  const name = (own: string) => made(`${publisherSlug}_${apiSlug}_${version}_${own}`)
  /** A path, from the gateway's address. */
  const path = (own: string) => made(base + withoutFragment(own))
  const reference = (own: unknown) => {
    const [first = "", second = "", ...rest] = parsePointer(own) ?? []
    if (first === "paths") return made(writePointer([first, path(second), ...rest]))
    if (first === "webhooks") return made(writePointer([first, name(second), ...rest]))
    const [third = "", ...inner] = rest
    return made(writePointer([first, second, name(third), ...inner]))
  }
  return {
    areTooLong: () => left < 0,
    name,
    path,
    reference,
    tag: (own: unknown) => made(`${versionTag(place)}: ${own}`)
  }
}
