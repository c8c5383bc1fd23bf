import { hopByHop, nominated } from "./hop-by-hop.ts"
import type { ResponseHead } from "./response-head.ts"

/**
 * What never passes from an upstream: all upstreams share the gateway's origin in a browser, so nothing that acts on an
 * origin may come from one of them (contract.md#gateway-answers); nor what a proxy in front of us takes for our orders, nor what
 * would speak in the gateway's name.
 */
const withheld: ReadonlySet<string> = new Set([
  ...hopByHop,
  "accept-ch",
  "alt-svc",
  "cdn-cache-control",
  "clear-site-data",
  "content-length",
  "critical-ch",
  "doorlock-error",
  "expect-ct",
  "nel",
  "origin-agent-cluster",
  "proxy-status",
  "public-key-pins",
  "refresh",
  "report-to",
  "reporting-endpoints",
  "service-worker-allowed",
  "set-cookie",
  "set-cookie2",
  "set-login",
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

/** Where the upstream is, and where the gateway stands for it. */
export interface Mapping {
  /** The URL that was requested of the upstream. */
  readonly requested: string
  /** `scheme://host[:port]` of the upstream. */
  readonly origin: string
  /** The upstream's base path, without a slash at its end. */
  readonly basePath: string
  /** The gateway's path that stands for it. */
  readonly prefix: string
}

/**
 * A reference from an upstream's answer as the client has to see it: what points below the upstream's base path points
 * below the gateway's, other origins stay as they are. What is elsewhere on the upstream has no address here, and the
 * upstream's own is nobody's business: undefined.
 */
const mapLocation = (location: string, mapping: Mapping): string | undefined => {
  const url = URL.parse(location, mapping.requested)
  if (url === null) return undefined
  if (url.origin !== mapping.origin) return location
  const { basePath } = mapping
  if (url.pathname !== basePath && !url.pathname.startsWith(`${basePath}/`)) return undefined
  return mapping.prefix + url.pathname.slice(basePath.length) + url.search + url.hash
}

/** Adds a line; those of one name make one list of the same meaning (RFC 9110, section 5.3). */
const append = (headers: Record<string, string>, name: string, value: string): void => {
  const known = headers[name]
  headers[name] = known === undefined ? value : `${known}, ${value}`
}

/** What every answer of an upstream gets; a list that it has of the same name is joined to ours by `responseHeaders`. */
export const commonHeaders: Headers = new Headers({
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  "content-security-policy": "sandbox",
  "x-content-type-options": "nosniff",
  // Caches keep apart by themselves only what comes for `Authorization` (RFC 9111, section 3.5).
  "cache-control": "private",
  vary: "x-api-key"
})

/**
 * The fields of the answer to the client, besides `commonHeaders`. Taken away first and added afterwards, as with requests.
 *
 * @param own further fields of the gateway, such as limits; an upstream's list of the same name is continued
 */
export const responseHeaders = (
  { connection, fields }: ResponseHead,
  mapping: Mapping,
  own: Readonly<Record<string, string>>
): Record<string, string> => {
  const named = nominated(connection)
  // Of no prototype, so that every name is a name.
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
  // With a policy of the upstream's, both hold: policies are a list, too.
  if (headers["content-security-policy"] !== undefined) append(headers, "content-security-policy", "sandbox")
  if (headers.vary !== undefined && !variesByAll) append(headers, "vary", "x-api-key")
  for (const name in own) append(headers, name, own[name] ?? "")
  return headers
}
