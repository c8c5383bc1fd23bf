/**
 * Parses gateway paths, `/gateway/<publisherSlug>/<apiSlug>/v/<version><rest>`, without decoding.
 *
 * `Bun.serve` exposes no raw request target: URLs have passed the WHATWG parser, which resolves `..` and
 * `%2e%2e`, turns `\` into `/` and percent-encodes octets that RFC 3986 forbids, and `'` in the query. That happens before the path
 * is split here, so it cannot escape the upstream's base path. A path in which the upstream could still
 * decode a dot segment is refused.
 */

import { isUnambiguous } from "../shared/unambiguous-path.ts"

export const prefix = "/gateway/"

export interface Target {
  /** Empty if the path has the wrong form, so that no API matches. */
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

/** The octets of a request target (RFC 9112, section 3.2). */
const visible = /^[\x21-\x7e]*$/

const nowhere = { publisherSlug: "", apiSlug: "", version: "", base: prefix, rest: "" }

/** Undefined for a path that must not be forwarded. `url`: path and query as received. */
export const parseTarget = (url: string): Target | undefined => {
  const mark = url.indexOf("?")
  const path = mark === -1 ? url : url.slice(0, mark)
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
