import { hopByHop, nominated } from "./hop-by-hop.ts"
import type { ResponseHead } from "./response-head.ts"

/**
 * Upstream fields that never reach the client: those that act on an origin, because browsers see all
 * upstreams at the gateway's origin (contract.md#gateway-answers), those that instruct a proxy in front of
 * doorlock, and those that only the gateway may set.
 */
const withheld: ReadonlySet<string> = new Set([
  ...hopByHop,
  "accept-ch",
  "activate-storage-access",
  "alt-svc",
  "avail-dictionary",
  "cdn-cache-control",
  "clear-site-data",
  "content-length",
  "critical-ch",
  "doorlock-error",
  "doorlock-reason",
  "expect-ct",
  "nel",
  "no-vary-search",
  "origin-agent-cluster",
  "proxy-status",
  "public-key-pins",
  "refresh",
  "report-to",
  "reporting-endpoints",
  "sec-session-challenge",
  "sec-session-registration",
  "secure-session-challenge",
  "secure-session-registration",
  "service-worker-allowed",
  "set-cookie",
  "set-cookie2",
  "set-login",
  "speculation-rules",
  "strict-transport-security",
  "surrogate-control",
  "use-as-dictionary",
  "x-accel-charset",
  "x-accel-expires",
  "x-accel-limit-rate",
  "x-accel-redirect",
  "x-content-type-options",
  "x-lighttpd-send-file",
  "x-request-id",
  "x-sendfile"
])

export interface Mapping {
  /** The URL of the request to the upstream. */
  readonly requested: string
  /** `scheme://host[:port]` of the upstream. */
  readonly origin: string
  /** Without a trailing slash. */
  readonly basePath: string
  /** The gateway path that maps to `basePath`. */
  readonly prefix: string
}

/**
 * A URL below the base path maps to the gateway; a URL of another origin stays. Any other path gives
 * undefined: it has no address at the gateway, and clients must not learn the upstream's own.
 */
const mapLocation = (location: string, mapping: Mapping): string | undefined => {
  const url = URL.parse(location, mapping.requested)
  if (url === null) return undefined
  if (url.origin !== mapping.origin) return location
  const { basePath } = mapping
  if (url.pathname !== basePath && !url.pathname.startsWith(`${basePath}/`)) return undefined
  return mapping.prefix + url.pathname.slice(basePath.length) + url.search + url.hash
}

/** Joins lines with the same name into one equivalent list (RFC 9110, section 5.3). */
const append = (headers: Record<string, string>, name: string, value: string): void => {
  const known = headers[name]
  headers[name] = known === undefined ? value : `${known}, ${value}`
}

/**
 * Added to every response unless `responseHeaders` has a field of the same name. It adds these values to the upstream's
 * `content-security-policy` and `vary`; the upstream's `cache-control` replaces this one.
 */
export const commonHeaders: Headers = new Headers({
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  "content-security-policy": "sandbox",
  "x-content-type-options": "nosniff",
  // Otherwise shared caches exempt only requests with `Authorization` (RFC 9111, section 3.5).
  "cache-control": "private",
  vary: "x-api-key"
})

/** A string, token, number, boolean or byte sequence (RFC 9651, section 3.3). */
const bareItem = String.raw`(?:"(?:[ !#-\[\]-~]|\\["\\])*"|[A-Za-z*][\w!#$%&'*+.^|~:/\x60-]*|-?\d{1,15}(?:\.\d{1,3})?|\?[01]|:[\w+/=]*:)`
/** With its parameters. */
const item = String.raw`${bareItem}(?:; *[a-z*][a-z\d_.*-]*(?:=${bareItem})?)*`

/** A structured list (RFC 9651, section 3.1) without inner lists. */
const structuredList = new RegExp(`^${item}(?:[ \\t]*,[ \\t]*${item})*$`)

/** Of longer lists, the check would take an upstream's calls too long. No API has so many limits. */
const longestList = 1_000

const isList = (value: string): boolean => value.length <= longestList && structuredList.test(value)

/**
 * The fields of the response, without `commonHeaders`: the upstream's, then the gateway's `own`, which are
 * appended to lists of the same name. Anything else is replaced: with it, clients would have to ignore the whole field, as
 * with `RateLimit: limit=9, remaining=8` of earlier drafts.
 */
export const responseHeaders = (
  { connection, fields }: ResponseHead,
  mapping: Mapping,
  own: Readonly<Record<string, string>>
): Record<string, string> => {
  const named = nominated(connection)
  // Without a prototype: a field name could collide with an inherited property.
  const headers: Record<string, string> = Object.create(null)
  let variesByAll = false
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] ?? ""
    const value = fields[at + 1] ?? ""
    if (withheld.has(name) || named.has(name)) continue
    if (name.startsWith("access-control-")) continue
    if (name === "location" || name === "content-location") {
      const mapped = mapLocation(value, mapping)
      if (mapped !== undefined) append(headers, name, mapped)
      continue
    }
    if (name === "vary" && value === "*") variesByAll = true
    append(headers, name, value)
  }
  // Policies form a list, so the upstream's and the gateway's both apply.
  if (headers["content-security-policy"] !== undefined) append(headers, "content-security-policy", "sandbox")
  if (headers.vary !== undefined && !variesByAll) append(headers, "vary", "x-api-key")
  for (const name in own) {
    const known = headers[name]
    if (known !== undefined && isList(known)) append(headers, name, own[name] ?? "")
    else headers[name] = own[name] ?? ""
  }
  return headers
}
