/** The names of a version's components in the description of all APIs. */
import { type JsonObject, objectOf } from "../../shared/schemas.ts"
import type { Allowance } from "./allowance.ts"
import { parsePointer, writePointer } from "./json-pointer.ts"
import { gatewayPath, type PlacedVersion } from "./model.ts"
import { withoutTrailing } from "./url-text.ts"

/** A version, and where it is served. */
export interface VersionPlace {
  readonly publisherSlug: string
  readonly apiSlug: string
  readonly version: string
  /** The base URLs to hide. Calls go to the first. */
  readonly upstreams: readonly [string, ...ReadonlyArray<string>]
}

export const placeOf = (row: typeof PlacedVersion.Type): VersionPlace => ({
  publisherSlug: row.publisher_slug,
  apiSlug: row.api_slug,
  version: row.version,
  upstreams: [row.upstream_url, ...(row.sandbox_upstream_url === null ? [] : [row.sandbox_upstream_url])]
})

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

/** The path of that URL, normalised, without trailing slashes. */
export const serverPath = (document: JsonObject): string =>
  withoutTrailing("/", URL.parse(serverAddress(document) ?? "", "http://document.invalid")?.pathname ?? "")

/** What the first server's path adds to the upstream's. The gateway cannot follow servers of operations. */
const pathBelow = (upstream: string, document: JsonObject): string => {
  const upstreamPath = withoutTrailing("/", new URL(upstream).pathname)
  const path = serverPath(document)
  return path.startsWith(`${upstreamPath}/`) ? path.slice(upstreamPath.length) : ""
}

/** A client that appends a path to an address would take a `#` for the start of a fragment. */
export const withoutFragment = (path: string): string =>
  path.replaceAll(/\{[^{}]*\}|#/g, (found) => (found === "#" ? "%23" : found))

/** The tag of all operations in a version without tags of its own. */
export const versionTag = ({ apiSlug, publisherSlug, version }: Omit<VersionPlace, "upstreams">): string =>
  `${publisherSlug}/${apiSlug} ${version}`

/**
 * @param text transforms every string of the publisher
 * @param bytes pays for each name: a short one in the document may become a long one
 */
export const exportedNames = (
  place: VersionPlace,
  document: JsonObject,
  text: (own: string) => string,
  bytes: Allowance
) => {
  const { apiSlug, publisherSlug, upstreams, version } = place
  const base = gatewayPath(place) + text(pathBelow(upstreams[0], document))
  const schemas = objectOf(objectOf(document.components).schemas)
  const ownTag = versionTag(place)
  const taken = (made: string): string => {
    bytes.take(made.length)
    return made
  }

  /** Unique for components, operations and webhooks: no slug and no version contains a `_`. */
  const name = (own: string) => taken(`${publisherSlug}_${apiSlug}_${version}_${text(own)}`)
  /** A path, from the gateway's address. */
  const path = (own: string) => taken(base + text(withoutFragment(own)))
  const schema = (own: string) => taken(writePointer(["components", "schemas", name(own)]))
  const reference = (own: string) => {
    const [first = "", second = "", ...rest] = parsePointer(own) ?? []
    if (first === "paths") return taken(writePointer([first, path(second), ...rest.map(text)]))
    if (first === "webhooks") return taken(writePointer([first, name(second), ...rest.map(text)]))
    const [third = "", ...inner] = rest
    return taken(writePointer([first, second, name(third), ...inner.map(text)]))
  }
  return {
    name,
    path,
    reference,
    schema,
    /** The target of a discriminator's mapping, which is a schema's name or a reference. */
    mapped: (own: string) => (Object.hasOwn(schemas, own) ? schema(own) : reference(own)),
    versionTag: ownTag,
    tag: (own: string) => taken(`${ownTag}: ${text(own)}`)
  }
}

export type ExportedNames = ReturnType<typeof exportedNames>
