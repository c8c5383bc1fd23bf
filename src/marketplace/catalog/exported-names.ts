/** What the parts of a version's document are called in the description of all. */
import { isJsonObject, type JsonObject } from "../../model.ts"
import type { Allowance } from "./allowance.ts"
import { parsePointer, writePointer } from "./json-pointer.ts"
import { gatewayPath } from "./model.ts"

/** A version, and where it is. */
export interface VersionPlace {
  readonly publisherSlug: string
  readonly apiSlug: string
  readonly version: string
  /** The base URLs that nobody is to learn of; the first is the one that calls go to. */
  readonly upstreams: readonly [string, ...ReadonlyArray<string>]
}

/** Of a row of the database. */
export const placeOf = (version: {
  readonly publisher_slug: string
  readonly api_slug: string
  readonly version: string
  readonly upstream_url: string
  readonly sandbox_upstream_url: string | null
}): VersionPlace => ({
  publisherSlug: version.publisher_slug,
  apiSlug: version.api_slug,
  version: version.version,
  upstreams:
    version.sandbox_upstream_url === null
      ? [version.upstream_url]
      : [version.upstream_url, version.sandbox_upstream_url]
})

export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})

/** Without those at its end. Not by a pattern, which would look for the end from each slash of a long row of them. */
const withoutSlashes = (path: string): string => {
  let end = path.length
  while (path[end - 1] === "/") end--
  return path.slice(0, end)
}

/** Characters of the address of a document's first server, at most: each of its paths may have them in front. */
const maxServerLength = 2_048

/** The address of the document's first server, with its variables at their defaults; undefined when it is too long. */
export const serverAddress = (document: JsonObject): string | undefined => {
  const [server] = Array.isArray(document.servers) ? document.servers : []
  const { url = "", variables } = objectOf(server)
  const defaultOf = (name: string) => String(objectOf(objectOf(variables)[name]).default ?? "")
  if (typeof url !== "string" || url.length > maxServerLength) return undefined
  // What one variable adds is bounded before it is put in as often as it is named.
  const filled = url.replaceAll(/\{([^{}]*)\}/g, (_, name: string) =>
    defaultOf(name).slice(0, maxServerLength + 1)
  )
  return filled.length > maxServerLength ? undefined : filled
}

/** The path of that address, as a URL has it, without slashes at its end. */
export const serverPath = (document: JsonObject): string =>
  withoutSlashes(URL.parse(serverAddress(document) ?? "", "http://document.invalid")?.pathname ?? "")

/**
 * What comes between the upstream's base and the document's paths: the rest of the first server's path where it continues
 * the base's. Servers of single paths and operations say nothing that the gateway could follow.
 */
const pathBelow = (upstream: string, document: JsonObject): string => {
  const upstreamPath = withoutSlashes(new URL(upstream).pathname)
  const path = serverPath(document)
  return path.startsWith(`${upstreamPath}/`) ? path.slice(upstreamPath.length) : ""
}

export interface ExportedNames {
  /** Of a component, an operation or a webhook. No two versions share one: a `_` is in no slug and in no version. */
  readonly name: (own: string) => string
  /** Of a path, from the gateway's address. */
  readonly path: (own: string) => string
  /** A reference into the document as it is in the description. */
  readonly reference: (own: string) => string
  /** A reference to the schema of that name. */
  readonly schema: (own: string) => string
  /** What a discriminator's mapping names, which is a schema's name or a reference. */
  readonly mapped: (own: string) => string
  /** The tag of the version itself. */
  readonly versionTag: string
  readonly tag: (own: string) => string
}

/** A `#` in a path is part of it, which a client that puts the path behind an address would take for the end of it. */
export const withoutFragment = (path: string): string =>
  path.replaceAll(/\{[^{}]*\}|#/g, (found) => (found === "#" ? "%23" : found))

/** The tag that all operations of a version without tags of their own have. */
export const versionTag = ({ apiSlug, publisherSlug, version }: Omit<VersionPlace, "upstreams">): string =>
  `${publisherSlug}/${apiSlug} ${version}`

/**
 * @param text what becomes of every string that is the publisher's own
 * @param bytes of which each name is taken: a short one in the document may become a long one
 */
export const exportedNames = (
  place: VersionPlace,
  document: JsonObject,
  text: (own: string) => string,
  bytes: Allowance
): ExportedNames => {
  const { apiSlug, publisherSlug, upstreams, version } = place
  const base = gatewayPath(place) + text(pathBelow(upstreams[0], document))
  const schemas = objectOf(objectOf(document.components).schemas)
  const ownTag = versionTag(place)
  const taken = (made: string): string => {
    bytes.take(made.length)
    return made
  }

  const name = (own: string) => taken(`${publisherSlug}_${apiSlug}_${version}_${text(own)}`)
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
    mapped: (own) => (Object.hasOwn(schemas, own) ? schema(own) : reference(own)),
    versionTag: ownTag,
    tag: (own) => taken(`${ownTag}: ${text(own)}`)
  }
}
