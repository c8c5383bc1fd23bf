import { anyPrefix } from "../secrets/token.ts"
import { hopByHop, nominated } from "./hop-by-hop.ts"

/**
 * Client fields that never reach an upstream: doorlock credentials, fields that the gateway sets itself, and
 * fields that upstreams trust because proxies set them. Doorlock's server has already handled `Expect`.
 */
const withheld: ReadonlySet<string> = new Set([
  ...hopByHop,
  "cf-connecting-ip",
  "cf-connecting-ipv6",
  "cookie",
  "cookie2",
  "expect",
  "fastly-client-ip",
  "forwarded",
  "host",
  "proxy",
  "true-client-ip",
  "via",
  "x-api-key",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-original-forwarded-for",
  // With these, some servers use another path than the one that was checked.
  "x-original-url",
  "x-real-ip",
  "x-request-id",
  "x-rewrite-url"
])

/** Names reserved for proxies, including doorlock's own. */
const proxyNamespace = /^x-(?:doorlock|forwarded)(?:-|$)/

/** Characters of a lower-case field name that a CGI variable may not contain. */
const oddCharacter = /[^a-z0-9-]/
const oddCharacters = /[^a-z0-9]/g

/** Most of a doorlock token. */
const ownToken = new RegExp(`${anyPrefix}[0-9A-Za-z]{20}`)

const basic = /^basic +/i

const decodedBasic = (value: string): string =>
  Buffer.from(value.replace(basic, ""), "base64").toString("latin1")

/**
 * A doorlock token never reaches an upstream, whichever field it was sent in, even as a name or password of `Basic`. The upstream's own
 * credentials do.
 */
const hasOwnToken = (name: string, value: string): boolean =>
  // Most values have no underscore, and the search for one takes a tenth of the time.
  (value.includes("_") && ownToken.test(value)) ||
  (name === "authorization" && basic.test(value) && ownToken.test(decodedBasic(value)))

export interface Forwarded {
  /** `host[:port]` of the upstream. */
  readonly host: string
  readonly clientAddress: string
  /** The scheme of the gateway's public URL, `http` or `https`. */
  readonly proto: string
  /** The gateway path that maps to the upstream's base path. */
  readonly prefix: string
  readonly requestId: string
  readonly pseudonym: string
}

/** Whether the request has already passed through this gateway (RFC 9110, section 7.6.3). */
export const isLoop = (headers: Headers, pseudonym: string): boolean => {
  const via = headers.get("via")
  return (
    via?.split(",").some((hop) => {
      const [, receivedBy] = hop.trim().split(/\s+/)
      return receivedBy === pseudonym
    }) === true
  )
}

/**
 * Builds the head of the request to the upstream. It adds the gateway's own fields after removing the
 * client's, so nothing that a client repeats or nominates in `Connection` affects them, and adds no other
 * field. `traceparent` and `tracestate` pass unchanged, as is usual for proxies (W3C Trace Context, section
 * 3.4): neither the caller nor the API could look up a span of the gateway.
 *
 * @param target path and query for the request line
 * @returns one code unit per octet
 */
export const requestHead = (
  method: string,
  target: string,
  headers: Headers,
  forwarded: Forwarded
): string => {
  const named = nominated(headers.get("connection"))
  let head = `${method} ${target} HTTP/1.1\r\nHost: ${forwarded.host}\r\n`
  headers.forEach((value, name) => {
    if (named.has(name)) return
    // CGI and WSGI map `X_Forwarded_For`, and some `X.Forwarded.For`, to the variable of `X-Forwarded-For`.
    const variable = oddCharacter.test(name) ? name.replaceAll(oddCharacters, "-") : name
    if (withheld.has(variable) || (variable === "content-length" && variable !== name)) return
    if (variable.startsWith("x-") && proxyNamespace.test(variable)) return
    if (hasOwnToken(variable, value)) return
    head += `${name}: ${value}\r\n`
  })
  // The length is needed even if the client nominated it in `Connection`.
  const length = named.has("content-length") ? headers.get("content-length") : null
  if (length !== null) head += `content-length: ${length}\r\n`
  if (isChunked(headers)) head += "transfer-encoding: chunked\r\n"
  const via = headers.get("via")
  const clientHost = headers.get("host")
  head += `via: ${via === null || named.has("via") ? "" : `${via}, `}1.1 ${forwarded.pseudonym}\r\n`
  if (forwarded.clientAddress !== "") head += `x-forwarded-for: ${forwarded.clientAddress}\r\n`
  if (clientHost !== null) head += `x-forwarded-host: ${clientHost}\r\n`
  head += `x-forwarded-proto: ${forwarded.proto}\r\nx-forwarded-prefix: ${forwarded.prefix}\r\n`
  return `${head}x-request-id: ${forwarded.requestId}\r\n\r\n`
}

/** Whether the body is received and forwarded in chunks, because its length is unknown. */
export const isChunked = (headers: Headers): boolean => headers.has("transfer-encoding")

/** Whether the request has, or may have, a body. */
export const announcesBody = (headers: Headers): boolean =>
  isChunked(headers) || Number(headers.get("content-length") ?? 0) > 0
