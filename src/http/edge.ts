/**
 * The outermost layer of every request: its id, its headers, CORS, its log line.
 */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AccessLog } from "../observability/access-log.ts"
import type { DirectRequest, DirectRoute } from "./direct.ts"
import { CurrentRequest, type RequestInfo } from "./request-info.ts"
import type { Route, RouteTable } from "./routes.ts"

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
  "access-control-expose-headers": "retry-after, x-request-id"
}

const strictTransportValue = "max-age=31536000"

const preflight = (routes: ReadonlyArray<Route>) =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      "access-control-allow-methods": routes.map(({ method }) => method).join(", "),
      "access-control-allow-headers": "authorization, content-type, x-request-id",
      "access-control-max-age": "86400"
    }
  })

/** A server span named by the route's pattern: paths carry ids, and headers carry credentials. */
const inSpan = <R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>,
  request: HttpServerRequest.HttpServerRequest,
  pattern: string
) =>
  app.pipe(
    Effect.tap((response) => Effect.annotateCurrentSpan("http.response.status_code", response.status)),
    Effect.withSpan(`${request.method} ${pattern}`, {
      kind: "server",
      captureStackTrace: false,
      parent: Option.getOrUndefined(HttpTraceContext.fromHeaders(request.headers)),
      attributes: { "http.request.method": request.method, "http.route": pattern }
    })
  )

interface EdgeOptions {
  readonly routes: RouteTable
  readonly accessLog: AccessLog
  /** Sent on every answer over https: browsers then never fall back to http. */
  readonly strictTransport: boolean
  /** Whether spans are exported; without an exporter none is made. */
  readonly traced: boolean
  /** True once the process is stopping: connections are told to end with their answer. */
  readonly draining: () => boolean
}

/** Wraps the whole application, one request at a time. */
export const edge = (options: EdgeOptions) => {
  const always = options.strictTransport
    ? { ...securityHeaders, "strict-transport-security": strictTransportValue }
    : securityHeaders

  const { "x-frame-options": _, ...framable } = always

  return <R>(
    app: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>,
    request: HttpServerRequest.HttpServerRequest,
    info: RequestInfo
  ): Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    never,
    Exclude<R, HttpServerRequest.HttpServerRequest>
  > => {
    const started = performance.now()
    const { routes } = options
    const route = routes.match(request.method, request.url)
    const ofPath = route === undefined ? routes.ofPath(request.url) : [route]
    const anyOrigin = ofPath.some(({ answers }) => answers?.anyOrigin === true)
    const pattern = ofPath[0]?.pattern ?? "unknown"
    const handled = Effect.provideService(
      Effect.provideService(app, HttpServerRequest.HttpServerRequest, request),
      CurrentRequest,
      info
    )
    const answered = anyOrigin && request.method === "OPTIONS" ? Effect.succeed(preflight(ofPath)) : handled
    return Effect.map(options.traced ? inSpan(answered, request, pattern) : answered, (response) => {
      options.accessLog.write({
        method: request.method,
        route: pattern,
        url: request.url,
        status: response.status,
        milliseconds: performance.now() - started,
        requestId: info.id,
        clientAddress: info.clientAddress
      })
      return HttpServerResponse.setHeaders(response, {
        ...(namesAncestors(response.headers["content-security-policy"]) ? framable : always),
        ...(anyOrigin ? corsHeaders : undefined),
        ...(options.draining() ? { connection: "close" } : undefined),
        // A page states its own policy and how long it may be kept.
        ...response.headers,
        "x-request-id": info.id
      })
    })
  }
}

interface PastRouterOptions extends Omit<EdgeOptions, "routes" | "traced"> {
  /** The answer when the handler broke. */
  readonly broken: (id: string, error: unknown) => Response
}

/**
 * The edge of requests that go past the router: their id and log line, and of headers only what is the connection's and
 * the origin's own. The rest of the answer is the handler's.
 */
export const pastRouter =
  ({ accessLog, broken, draining, strictTransport }: PastRouterOptions) =>
  async ({ handle, pattern }: DirectRoute, direct: DirectRequest) => {
    const started = performance.now()
    const { clientAddress, id, request, url } = direct
    // A fault of the handler itself, behind which there is nobody else to answer.
    const response = await handle(direct).catch((error: unknown) => broken(id, error))
    accessLog.write({
      method: request.method,
      route: pattern,
      url,
      status: response.status,
      milliseconds: performance.now() - started,
      requestId: id,
      clientAddress
    })
    response.headers.set("x-request-id", id)
    if (strictTransport) response.headers.set("strict-transport-security", strictTransportValue)
    if (draining()) response.headers.set("connection", "close")
    return response
  }
