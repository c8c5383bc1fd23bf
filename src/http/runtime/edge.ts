/** The outermost layer of every request: id, headers, CORS and log line. */
import * as Cookies from "@effect/platform/Cookies"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { Runtime } from "effect"
import type { AccessLog } from "../../observability/access-log.ts"
import type { RequestInfo } from "../../shared/current-request.ts"
import type { Route } from "../contract/reflection.ts"
import { ignoredHeader, ignoredOf } from "./ignored.ts"
import type { Trace } from "./span.ts"

const saneRequestId = /^[\w.:/+=-]{1,128}$/

/** The client's request id if it is safe to log, otherwise a new one. */
export const requestId = (given: string | undefined): string =>
  given !== undefined && saneRequestId.test(given) ? given : crypto.randomUUID()

/** Lets a response load, run and submit nothing, and be framed by nobody. */
export const strictPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": strictPolicy,
  // Other origins cannot load a response as an image or script. CORS still allows reading it.
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

/** `X-Frame-Options` cannot list the origins that may frame a page, so such a page omits it. */
const namesAncestors = (policy: string | undefined): boolean =>
  policy !== undefined && /frame-ancestors (?!'none')/.test(policy)

/** For scripts of any origin, without credentials. A session token may be used from any origin. */
const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "doorlock-error, retry-after, x-request-id"
}

export const strictTransportValue = "max-age=31536000"

export const takesAnyOrigin = ({ metadata }: Route): boolean => metadata?.anyOrigin === true

/** The response to a CORS preflight: the path's methods that scripts of any origin may use. */
export const preflight = (routes: ReadonlyArray<Route>): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      "access-control-allow-methods": routes
        .filter(takesAnyOrigin)
        .map(({ method }) => method)
        .sort()
        .join(", "),
      "access-control-allow-headers": "authorization, content-type, x-request-id",
      "access-control-max-age": "86400"
    }
  })

export interface EdgeOptions {
  readonly runtime: Runtime.Runtime<never>
  readonly accessLog: AccessLog
  /** Whether to send `Strict-Transport-Security`, so that browsers never fall back to http. */
  readonly strictTransport: boolean
  /** True once the process is stopping; each response then closes its connection. */
  readonly draining: () => boolean
}

export interface EdgeRequest extends RequestInfo {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly started: number
  /** The matching route, or else the first route of the path. */
  readonly route: Route | undefined
  readonly trace: Trace
}

const constants = new WeakSet<HttpServerResponse.HttpServerResponse>()

/** Marks a response that many requests share, so that its headers are built only once. */
export const constant = (answer: HttpServerResponse.HttpServerResponse) => {
  constants.add(answer)
  return answer
}

/** As `Headers`, which the server copies in native code, several times faster than it reads a record. */
interface CommonHeaders {
  readonly always: Headers
  /** All headers of each constant response sent so far. */
  readonly ofConstants: WeakMap<HttpServerResponse.HttpServerResponse, Headers>
}

/** Converts a response for the server. Fast for a body of bytes without cookies, the usual case. */
const toWeb = (
  response: HttpServerResponse.HttpServerResponse,
  { always, ofConstants }: CommonHeaders,
  request: HttpServerRequest.HttpServerRequest,
  runtime: Runtime.Runtime<never>
): Response => {
  const { body, cookies, headers, status } = response
  const withoutBody = request.method === "HEAD"
  if (body._tag === "Uint8Array" && !withoutBody && Cookies.isEmpty(cookies)) {
    const known = ofConstants.get(response)
    // The cast: bodies are never in shared memory.
    const web = new Response(body.body as Uint8Array<ArrayBuffer>, { status, headers: known ?? always })
    if (known !== undefined) return web
    // A response's own headers take precedence: a page sets its own policy and caching.
    for (const name in headers) if (name !== "content-length") web.headers.set(name, headers[name] ?? "")
    if (constants.has(response)) ofConstants.set(response, new Headers(web.headers))
    return web
  }
  const web = HttpServerResponse.toWeb(response, { runtime, withoutBody })
  always.forEach((value, name) => {
    if (!web.headers.has(name)) web.headers.set(name, value)
  })
  return web
}

/** Writes a response's log line and adds the common headers. */
export const edge = (options: EdgeOptions) => {
  const commonHeaders = (always: Headers): CommonHeaders => ({ always, ofConstants: new WeakMap() })
  const always = new Headers(securityHeaders)
  if (options.strictTransport) always.set("strict-transport-security", strictTransportValue)
  const toAnyOrigin = new Headers(always)
  for (const [name, value] of Object.entries(corsHeaders)) toAnyOrigin.set(name, value)
  const [forAll, forAnyOrigin] = [commonHeaders(always), commonHeaders(toAnyOrigin)]

  return (
    { clientAddress, id, request, route, started, trace }: EdgeRequest,
    response: HttpServerResponse.HttpServerResponse
  ): Response => {
    const { method, url } = request
    const { span } = trace
    const { status } = response
    options.accessLog({
      clientAddress,
      id,
      method,
      route: route?.pattern ?? "unknown",
      span,
      started,
      status,
      url
    })
    const anyOrigin = route !== undefined && takesAnyOrigin(route)
    const web = toWeb(response, anyOrigin ? forAnyOrigin : forAll, request, options.runtime)
    if (namesAncestors(response.headers["content-security-policy"])) web.headers.delete("x-frame-options")
    web.headers.set("x-request-id", id)
    const ignored = ignoredOf(request)
    if (ignored !== undefined) web.headers.set(ignoredHeader, ignored)
    if (options.draining()) web.headers.set("connection", "close")
    return web
  }
}
