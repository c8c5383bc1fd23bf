/**
 * Parses the gateway's paths, `/gateway/<publisherSlug>/<apiSlug>/v/<version><rest>`, without decoding anything. The part after the
 * version goes to the upstream as received.
 *
 * `Bun.serve` does not expose the raw request target. A request's URL has already passed the WHATWG URL parser, either in the server or in
 * `http/runtime/serve`. The parser resolves `..` and `%2e%2e` segments, turns `\` into `/`, and percent-encodes octets that RFC 3986 does
 * not allow in a target (`^`, `{`, `"`, non-ASCII). None of this can escape the upstream's base path: it happens before the path is split
 * here. The resolved path is either inside its API or another address of this server, as if the client had sent it in that form.
 * A path that could still contain a dot segment after the upstream decodes it is refused.
 */

import { isUnambiguous } from "../shared/unambiguous-path.ts"

/** The prefix of every gateway path. */
export const prefix = "/gateway/"

export interface Target {
  /** Slug of the called API's publisher. Empty if the path has the wrong form, so that no API matches. */
  readonly publisherSlug: string
  readonly apiSlug: string
  readonly version: string
  /** Everything before `rest`, without a trailing slash. */
  readonly base: string
  /** The path below the upstream's base path: empty, or starting with a slash. */
  readonly rest: string
  /** Empty, or starting with `?`. */
  readonly query: string
}

/** A valid request target (RFC 9112, section 3.2): no octet that ends the request line or separates its parts. */
const visible = /^[\x21-\x7e]*$/

const nowhere = { publisherSlug: "", apiSlug: "", version: "", base: prefix, rest: "" }

/**
 * Parses a path that starts with `prefix`.
 *
 * @param url path and query as received, not decoded
 * @returns undefined for a path that must not be forwarded
 */
export const parseTarget = (url: string): Target | undefined => {
  const mark = url.indexOf("?")
  const path = mark === -1 ? url : url.slice(0, mark)
  // Octets that the server left unencoded must not reach an upstream.
  if (!visible.test(url) || !isUnambiguous(path)) return undefined
  const query = mark === -1 ? "" : url.slice(mark)
  const publisherEnd = path.indexOf("/", prefix.length)
  const apiEnd = publisherEnd === -1 ? -1 : path.indexOf("/", publisherEnd + 1)
  if (apiEnd === -1 || !path.startsWith("/v/", apiEnd)) return { ...nowhere, query }
  const versionStart = apiEnd + "/v/".length
  const slash = path.indexOf("/", versionStart)
  const versionEnd = slash === -1 ? path.length : slash
  return {
    publisherSlug: path.slice(prefix.length, publisherEnd),
    apiSlug: path.slice(publisherEnd + 1, apiEnd),
    version: path.slice(versionStart, versionEnd),
    base: path.slice(0, versionEnd),
    rest: path.slice(versionEnd),
    query
  }
}
