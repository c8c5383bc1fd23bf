import { hopByHop, nominated } from "./hop-by-hop.ts"

/**
 * What of the client's fields never reaches an upstream: its credentials with us, what the gateway says itself, and
 * what upstreams take for the word of a proxy they trust. `Expect` has been met by our own server.
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
  // By these two some servers take another path than the one that was requested and checked.
  "x-original-url",
  "x-real-ip",
  "x-request-id",
  "x-rewrite-url"
])

/** Namespaces of a proxy's own words, ours among them. */
const proxyNamespace = /^x-(?:doorlock|forwarded)(?:-|$)/

/** What a name of lower-case letters may have, and a variable may not. */
const oddCharacter = /[^a-z0-9-]/
const oddCharacters = /[^a-z0-9]/g

/** A credential of this service, whatever the upstream has `Authorization` for. */
const ownCredential = /^\s*bearer\s+(?:dlk|dls|dli|dk_live|dk_test|kyc_sess|kyc_hand)_/i

/** What the gateway says to an upstream about the call. */
export interface Forwarded {
  /** `host[:port]` of the upstream. */
  readonly host: string
  readonly clientAddress: string
  /** `http` or `https`: how clients reach the gateway. */
  readonly proto: string
  /** The gateway's path that stands for the upstream's base path. */
  readonly prefix: string
  readonly requestId: string
  readonly pseudonym: string
}

/** Whether the request has been through this gateway before (RFC 9110, section 7.6.3). */
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
 * The head of the request to the upstream. Taken away first and added afterwards, so that nothing a client nominates or
 * repeats can touch what the gateway says. Nothing else is added: no `User-Agent`, `Accept` or `Accept-Encoding` that the
 * client did not send, and `Content-Length` or chunking as it came. `traceparent` and `tracestate` are passed on as they came, too, as
 * is usual of proxies (W3C Trace Context, section 3.4): neither the caller nor the API could ever look up a span of the gateway's.
 *
 * @param target path and query for the request line
 * @returns a code unit an octet, as field values are
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
    // To CGI, WSGI and their like `X_Forwarded_For` and `X-Forwarded-For` are one variable; to some `X.Forwarded.For` is it, too.
    const variable = oddCharacter.test(name) ? name.replaceAll(oddCharacters, "-") : name
    if (withheld.has(variable) || (variable === "content-length" && variable !== name)) return
    if (variable.startsWith("x-") && proxyNamespace.test(variable)) return
    if (variable === "authorization" && ownCredential.test(value)) return
    head += `${name}: ${value}\r\n`
  })
  // A length that the client nominated is one all the same: the body is forwarded by it.
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

/** Whether the body comes, and goes on, in chunks: its length is not known. */
export const isChunked = (headers: Headers): boolean => headers.has("transfer-encoding")

/** Whether the request has, or may have, a body. */
export const announcesBody = (headers: Headers): boolean =>
  isChunked(headers) || Number(headers.get("content-length") ?? 0) > 0
