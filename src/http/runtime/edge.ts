/**
 * The outermost layer of every request: its id, its headers, CORS, its span, its log line.
 */
import * as Cookies from "@effect/platform/Cookies"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as Runtime from "effect/Runtime"
import type { AccessLog } from "../../observability/access-log.ts"
import type { RequestInfo } from "../../shared/current-request.ts"
import type { Route } from "../contract/reflection.ts"
import type { Trace } from "./span.ts"

const saneRequestId = /^[\w.:/+=-]{1,128}$/

/** The caller's request id when it can stand in a log line as it is, else a new one. */
export const requestId = (given: string | undefined): string =>
  given !== undefined && saneRequestId.test(given) ? given : crypto.randomUUID()

const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  // No page of another origin loads an answer as an image or a script; by CORS it may still be read where that is allowed.
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

/** X-Frame-Options knows no list of origins: it is left out of a page whose policy names who may show it in a frame. */
const namesAncestors = (policy: string | undefined): boolean =>
  policy !== undefined && /frame-ancestors (?!'none')/.test(policy)

/** For scripts of any origin, without credentials: whoever holds a session token may use it anywhere. */
const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "doorlock-error, retry-after, x-request-id"
}

/** The value of `Strict-Transport-Security`. */
export const strictTransportValue = "max-age=31536000"

export const takesAnyOrigin = ({ answers }: Route): boolean => answers?.anyOrigin === true

/** The answer to a preflight of any origin's: the methods of the path that scripts of other origins may use. */
export const preflight = (routes: ReadonlyArray<Route>): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      "access-control-allow-methods": routes
        .filter(takesAnyOrigin)
        .map(({ method }) => method)
        .join(", "),
      "access-control-allow-headers": "authorization, content-type, x-request-id",
      "access-control-max-age": "86400"
    }
  })

export interface EdgeOptions {
  /** Runs bodies that are streams. */
  readonly runtime: Runtime.Runtime<never>
  readonly accessLog: AccessLog
  /** Sent on every answer over https: browsers then never fall back to http. */
  readonly strictTransport: boolean
  /** True once the process is stopping: connections are told to end with their answer. */
  readonly draining: () => boolean
}

/** A request as the edge knows it. */
export interface EdgeRequest extends RequestInfo {
  readonly request: HttpServerRequest.HttpServerRequest
  /** When it came, on the monotonic clock. */
  readonly started: number
  /** Of the route it is for, or of the first of its path. */
  readonly route: Route | undefined
  readonly trace: Trace
}

const constants = new WeakSet<HttpServerResponse.HttpServerResponse>()

/** An answer that is given to many requests: the edge puts its headers together once. */
export const constant = (answer: HttpServerResponse.HttpServerResponse) => {
  constants.add(answer)
  return answer
}

/** Headers that answers begin with: copied by the server's own code, several times faster than a record is read. */
interface Beginnings {
  /** Those that all have. */
  readonly always: Headers
  /** Those and its own, of constant answers that have been given. */
  readonly ofConstants: WeakMap<HttpServerResponse.HttpServerResponse, Headers>
}

/** The answer as the server sends it, but for the headers that all have; most have a body of bytes and no cookies. */
const toWeb = (
  response: HttpServerResponse.HttpServerResponse,
  { always, ofConstants }: Beginnings,
  request: HttpServerRequest.HttpServerRequest,
  runtime: Runtime.Runtime<never>
): Response => {
  const { body, cookies, headers, status } = response
  const withoutBody = request.method === "HEAD"
  if (body._tag === "Uint8Array" && !withoutBody && Cookies.isEmpty(cookies)) {
    const known = ofConstants.get(response)
    // The cast: bytes of an answer are never in shared memory.
    const web = new Response(body.body as Uint8Array<ArrayBuffer>, { status, headers: known ?? always })
    if (known !== undefined) return web
    // An answer's own headers come before those of all: a page states its own policy and how long it may be kept.
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

/** Completes every answer: writes its log line, and gives it the headers that all have. */
export const edge = (options: EdgeOptions) => {
  const beginningWith = (always: Headers): Beginnings => ({ always, ofConstants: new WeakMap() })
  const always = new Headers(securityHeaders)
  if (options.strictTransport) always.set("strict-transport-security", strictTransportValue)
  const toAnyOrigin = new Headers(always)
  for (const [name, value] of Object.entries(corsHeaders)) toAnyOrigin.set(name, value)
  const [forAll, forAnyOrigin] = [beginningWith(always), beginningWith(toAnyOrigin)]

  return (
    { clientAddress, id, request, route, started, trace }: EdgeRequest,
    response: HttpServerResponse.HttpServerResponse
  ): Response => {
    options.accessLog.write({
      method: request.method,
      route: route?.pattern ?? "unknown",
      url: request.url,
      status: response.status,
      milliseconds: performance.now() - started,
      requestId: id,
      clientAddress,
      span: trace.span
    })
    const anyOrigin = route !== undefined && takesAnyOrigin(route)
    const web = toWeb(response, anyOrigin ? forAnyOrigin : forAll, request, options.runtime)
    if (namesAncestors(response.headers["content-security-policy"])) web.headers.delete("x-frame-options")
    web.headers.set("x-request-id", id)
    if (options.draining()) web.headers.set("connection", "close")
    return web
  }
}
