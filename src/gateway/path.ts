/**
 * The gateway's own address scheme, `/gateway/<publisherSlug>/<apiSlug>/v/<version><rest>`, read without decoding
 * anything: what follows the version goes to the upstream as it came.
 *
 * What is not obtainable from Bun.serve is the raw request target. The URL of a request has been through the WHATWG URL parser
 * (where the server has not done so, `http/runtime/serve` does):
 * `..` and `%2e%2e` segments are resolved, `\` is `/`, and octets that RFC 3986 does not allow in a target (`^`, `{`,
 * `"`, non-ASCII) are percent-encoded. Neither can lead out of the upstream's base path: resolving happens before the
 * path is split here, so such a path is either inside its API or is another address of this server, exactly as if the
 * client had written it that way. What may still hold a dot segment once somebody behind us decodes it is refused.
 */

import { isUnambiguous } from "../shared/unambiguous-path.ts"

/** The paths that are the gateway's. */
export const prefix = "/gateway/"

export interface Target {
  /** Of the API that is called; empty when the path does not have the form of one, so that no API matches. */
  readonly publisherSlug: string
  readonly apiSlug: string
  readonly version: string
  /** Everything up to the rest, without a slash at its end. */
  readonly base: string
  /** Path below the upstream's base path: empty, or beginning with a slash. */
  readonly rest: string
  /** Empty, or beginning with `?`. */
  readonly query: string
}

/** What a request target is made of (RFC 9112, section 3.2): no octet that ends a line or a word of the request line. */
const visible = /^[\x21-\x7e]*$/

const nowhere = { publisherSlug: "", apiSlug: "", version: "", base: prefix, rest: "" }

/**
 * Reads a path that begins with `prefix`.
 *
 * @param url path and query, in the bytes that they came in
 * @returns undefined for a path that must not be passed on
 */
export const parseTarget = (url: string): Target | undefined => {
  const mark = url.indexOf("?")
  const path = mark === -1 ? url : url.slice(0, mark)
  // What the server did not encode must not be written to an upstream.
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
