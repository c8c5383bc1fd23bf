/**
 * The outermost layer of every request: its id, its headers, CORS, its span, its log line.
 */
import * as Cookies from "@effect/platform/Cookies"
import type * as HttpHeaders from "@effect/platform/Headers"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import type { AnySpan } from "effect/Tracer"
import type { AccessLog } from "../../observability/access-log.ts"
import type { RequestInfo } from "../../shared/current-request.ts"
import type { Route } from "../contract/reflection.ts"
import { type DirectAnswer, type DirectRequest, type DirectRoute, sent } from "./direct.ts"

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

const strictTransportValue = "max-age=31536000"

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

/** Which span a request has, once it has begun. */
export interface Trace {
  span?: AnySpan
}

/**
 * A server span named by the route's pattern: paths carry ids, and headers carry credentials. Without a route it is named by the
 * method alone, as OpenTelemetry's conventions have it.
 *
 * @param trace is told the span, for what is logged of the request outside of it
 */
export const inSpan = <A extends { readonly status: number }, E, R>(
  app: Effect.Effect<A, E, R>,
  { headers, method }: { readonly headers: HttpHeaders.Headers; readonly method: string },
  pattern: string | undefined,
  trace: Trace
) =>
  Effect.tap(Effect.orDie(Effect.currentSpan), (span) => {
    trace.span = span
    return Effect.void
  }).pipe(
    Effect.zipRight(app),
    Effect.tap(({ status }) => Effect.annotateCurrentSpan("http.response.status_code", status)),
    Effect.withSpan(pattern === undefined ? method : `${method} ${pattern}`, {
      kind: "server",
      captureStackTrace: false,
      parent: Option.getOrUndefined(HttpTraceContext.w3c(headers)),
      attributes: {
        "http.request.method": method,
        ...(pattern === undefined ? undefined : { "http.route": pattern })
      }
    })
  )

interface EdgeOptions {
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

interface PastRouterOptions extends EdgeOptions {
  /** Whether requests have spans. */
  readonly traced: boolean
  /** The answer when the handler broke. */
  readonly broken: (direct: DirectRequest, error: unknown) => DirectAnswer
}

/**
 * The edge of requests that go past the router: their id, span and log line, and of headers only what is the connection's and
 * the origin's own. The rest of the answer is the handler's.
 */
export const pastRouter = (options: PastRouterOptions) => {
  const { accessLog, broken, draining, runtime, strictTransport, traced } = options
  const runPromise = Runtime.runPromise(runtime)

  /** The handler's answer; for a fault of the handler itself there is nobody else to answer. */
  const answer = ({ handle }: DirectRoute, direct: DirectRequest): DirectAnswer | Promise<DirectAnswer> => {
    const broke = (error: unknown) => broken(direct, error)
    try {
      const answered = handle(direct)
      return answered instanceof Promise ? answered.catch(broke) : answered
    } catch (error) {
      return broke(error)
    }
  }

  const answerInSpan = (route: DirectRoute, direct: DirectRequest, trace: Trace): Promise<DirectAnswer> =>
    Effect.promise(async () => answer(route, { ...direct, span: trace.span })).pipe(
      (app) => inSpan(app, HttpServerRequest.fromWeb(direct.request), route.pattern, trace),
      runPromise
    )

  const complete = (
    { pattern }: DirectRoute,
    { clientAddress, id, request, started, url }: DirectRequest,
    { span }: Trace,
    given: DirectAnswer
  ): Response => {
    const { headers, status } = given
    accessLog.write({
      method: request.method,
      route: pattern,
      url,
      status,
      milliseconds: performance.now() - started,
      requestId: id,
      clientAddress,
      span
    })
    headers["x-request-id"] = id
    if (strictTransport) headers["strict-transport-security"] = strictTransportValue
    if (draining()) headers.connection = "close"
    return sent(given)
  }

  return (route: DirectRoute, direct: DirectRequest): Response | Promise<Response> => {
    const trace: Trace = {}
    const answered = traced ? answerInSpan(route, direct, trace) : answer(route, direct)
    return answered instanceof Promise
      ? answered.then((given) => complete(route, direct, trace, given))
      : complete(route, direct, trace, answered)
  }
}
