/**
 * Serves the application with `Bun.serve`: `BunHttpServer` interrupts running requests with a 503, and
 * creates a fiber set entry and an abort listener per request. Handlers here are short and always run to
 * completion, even if the client disconnects.
 */

import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerRespondable from "@effect/platform/HttpServerRespondable"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import type { Server } from "bun"
import {
  Cause,
  Chunk,
  Context,
  Effect,
  type Exit,
  type Fiber,
  FiberId,
  FiberRef,
  FiberRefs,
  Layer,
  Runtime,
  RuntimeFlags
} from "effect"
import type { AnySpan } from "effect/Tracer"
import { Config } from "../../config.ts"
import { AccessLogger } from "../../observability/access-log.ts"
import { CurrentRequest, type RequestInfo } from "../../shared/current-request.ts"
import { plainAddress } from "../../shared/ip-address.ts"
import { Timing } from "../../shared/timing.ts"
import { type Contract, contractOf, type Route } from "../contract/reflection.ts"
import { ambiguities, serverRefusals } from "../contract/refusals.ts"
import { clientAddress, isDirect, isForwarded } from "./client-address.ts"
import { compressed } from "./compressed.ts"
import { DirectRoutes, directError, sent } from "./direct.ts"
import { edge, preflight, requestId, takesAnyOrigin } from "./edge.ts"
import { servicesOf } from "./handlers.ts"
import { isForeignHost } from "./hosts.ts"
import { InnerCalls } from "./inner-calls.ts"
import { Lifecycle } from "./lifecycle.ts"
import { idleSeconds, type ListenFailed, Listening, listen } from "./listening.ts"
import { pastRouter } from "./past-router.ts"
import { refusing, rejecting, unrouted } from "./reject.ts"
import { RequestServices } from "./request-services.ts"
import { type Match, type RouteTable, routable, routeTable } from "./routes.ts"
import { RequestScheduler } from "./scheduler.ts"
import { ambiguityOf, sourceOf } from "./source.ts"
import { inSpan, type Trace } from "./span.ts"

/**
 * The path and query of a URL. Without a usable `Host`, the server passes the target unresolved and
 * unencoded, read as UTF-8. It is normalized, so that a path means the same whatever `Host` says.
 */
const pathAndQuery = (url: string): string => {
  const absolute = url.startsWith("/") ? new URL(`http://localhost${url}`).href : url
  return absolute.slice(absolute.indexOf("/", absolute.indexOf("//") + 2))
}

interface ServedRoute extends Route {
  /** The route in the framework's router. */
  readonly declared: HttpRouter.Route<unknown, unknown>
  readonly app: Effect.Effect<HttpServerResponse.HttpServerResponse, never, unknown>
  /** Shared by all requests. Each puts its own on top (`RequestServices`). */
  readonly services: ReadonlyMap<string, unknown>
}

/** The routes of the contract, and those that pages and operations add to the router. */
const servedRoutes = (
  contract: Contract,
  router: HttpRouter.HttpRouter<unknown, unknown>,
  context: Context.Context<never>
): RouteTable<ServedRoute> => {
  const reject = rejecting(contract)
  return routeTable(
    Chunk.toReadonlyArray(router.routes).map((declared) => {
      const { handler, method, path } = declared
      const known = contract.routes.find((route) => route.method === method && route.pattern === path)
      const route = { method, pattern: path, metadata: known?.metadata }
      const made = Effect.flatMap(handler, HttpServerRespondable.toResponse)
      // Inside `reject`, so that a failure of the compression gets a response too.
      const app = route.metadata?.compressed === true ? Effect.flatMap(made, compressed) : made
      const services = Context.merge(context, servicesOf(declared)).unsafeMap
      return { ...route, declared, services, app: reject(route, app) }
    })
  )
}

/** Its dependencies, above all the database, are released only after the last response. */
export const layer: Layer.Layer<
  Listening,
  ListenFailed,
  HttpApi.Api | HttpApiBuilder.Router | Config | AccessLogger | Lifecycle | DirectRoutes
> = Layer.scoped(
  Listening,
  Effect.gen(function* () {
    const config = yield* Config
    const lifecycle = yield* Lifecycle
    const directRoutes = yield* DirectRoutes
    const { api } = yield* HttpApi.Api
    const router = yield* HttpApiBuilder.Router.router
    const runtime = yield* Effect.runtime<HttpRouter.HttpRouter.DefaultServices>()
    const context = Context.add(runtime.context, InnerCalls, {
      send: async (request, from) =>
        answer(HttpServerRequest.fromWeb(request), pathAndQuery(request.url), from)
    })
    const routes = servedRoutes(contractOf(api), router, context)
    const accessLog = yield* AccessLogger
    const timing = yield* Timing
    const strictTransport = config.baseUrl.startsWith("https:")
    const traced = config.otlpEndpoint !== undefined
    const complete = edge({ runtime, accessLog, strictTransport, draining: lifecycle.isDraining })
    const runFork = Runtime.runFork(runtime)
    const fiberRefs = FiberRefs.updateAs(runtime.fiberRefs, {
      fiberId: FiberId.none,
      fiberRef: FiberRef.currentScheduler,
      value: new RequestScheduler(timing)
    })
    // Nothing reads Effect's counters and lifetime histogram of fibers.
    const runtimeFlags = RuntimeFlags.disable(runtime.runtimeFlags, RuntimeFlags.RuntimeMetrics)

    /** Logs a failure that no other layer has handled, and builds the response. */
    const broken = (id: string, cause: Cause.Cause<unknown>, span: AnySpan | undefined) => {
      const told = Effect.annotateLogs(Effect.logError("Request failed", cause), { requestId: id })
      runFork(span === undefined ? told : Effect.withParentSpan(told, span))
      return directError(serverRefusals.internalError, { "x-request-id": id })
    }

    const past = pastRouter({
      runtime,
      traced,
      accessLog,
      strictTransport,
      draining: lifecycle.isDraining,
      broken: ({ id, span }, error) => broken(id, Cause.die(error), span)
    })

    const isForeign = config.isForThisMachine
      ? isForeignHost([config.baseUrl, config.appUrl, config.gatewayUrl])
      : () => false

    /** Runs a handler in one fiber that has the request's services from the start. */
    const run = (
      { params, route: { app, declared, services: around }, searchParams }: Match<ServedRoute>,
      request: HttpServerRequest.HttpServerRequest,
      info: RequestInfo,
      pattern: string | undefined,
      trace: Trace
    ): Fiber.RuntimeFiber<HttpServerResponse.HttpServerResponse> => {
      const services = new RequestServices(around)
      services.set(HttpServerRequest.HttpServerRequest.key, request)
      services.set(HttpServerRequest.ParsedSearchParams.key, searchParams)
      services.set(HttpRouter.RouteContext.key, {
        [HttpRouter.RouteContextTypeId]: HttpRouter.RouteContextTypeId,
        route: declared,
        params
      })
      services.set(CurrentRequest.key, info)
      return Runtime.runFork(
        Runtime.make({ context: Context.unsafeMake<unknown>(services), fiberRefs, runtimeFlags }),
        traced ? inSpan(app, request, pattern, trace) : app
      )
    }

    const answer = (
      received: HttpServerRequest.HttpServerRequest,
      path: string,
      info: RequestInfo
    ): Response | Promise<Response> => {
      const started = performance.now()
      const url = routable(path)
      const request = url === received.url ? received : received.modify({ url })
      const { method } = request
      const found = routes.match(method, url)
      const ofPath = found === undefined ? routes.ofPath(url) : []
      const anyOrigin = ofPath.find(takesAnyOrigin)
      const trace: Trace = {}
      const edged = { ...info, request, started, trace, route: found?.route ?? anyOrigin ?? ofPath[0] }
      const respond = (response: HttpServerResponse.HttpServerResponse) => complete(edged, response)
      const respondAtOnce = (response: HttpServerResponse.HttpServerResponse) => {
        if (traced) runFork(inSpan(Effect.succeed(response), request, edged.route?.pattern, trace))
        return respond(response)
      }
      const ambiguity = ambiguityOf(sourceOf(received))
      if (ambiguity !== undefined) return respondAtOnce(refusing(ambiguities[ambiguity], edged.route))
      if (isForeign(sourceOf(received).headers))
        return respondAtOnce(refusing(serverRefusals.misdirected, edged.route))
      const { otherwise } = routes
      const unknown =
        otherwise !== undefined && ofPath.length === 0 && (method === "GET" || method === "HEAD")
          ? { route: otherwise, params: {}, searchParams: {} }
          : undefined
      const match = found ?? unknown
      if (match === undefined) {
        const isPreflight = method === "OPTIONS" && anyOrigin !== undefined
        return respondAtOnce(isPreflight ? preflight(ofPath) : unrouted(ofPath))
      }
      const fiber = run(match, request, info, edged.route?.pattern, trace)
      const settle = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse>) =>
        exit._tag === "Success" ? respond(exit.value) : sent(broken(info.id, exit.cause, trace.span))
      const done = fiber.unsafePoll()
      return done === null
        ? new Promise((resolve) => fiber.addObserver((exit) => resolve(settle(exit))))
        : settle(done)
    }

    // Without trusted proxies, `X-Forwarded-For` is not even read.
    const trustsProxies = config.trustedProxies.rules.length > 0

    const idleTimeout = idleSeconds(timing)

    const fetch = (request: Request, server: Server<undefined>) => {
      const id = requestId(request.headers.get("x-request-id") ?? undefined)
      // The server no longer knows the address of a closed connection.
      const peer = server.requestIP(request)?.address ?? ""
      const address = () =>
        trustsProxies
          ? clientAddress(peer, request.headers.get("x-forwarded-for"), config.trustedProxies)
          : plainAddress(peer)
      const setIdleTimeout = (seconds = idleTimeout) => server.timeout(request, seconds)
      const info: RequestInfo = {
        id,
        clientAddress: address,
        isDirect: () => isDirect(peer, config.trustedProxies) && !isForwarded(request.headers),
        gone: () => request.signal,
        setIdleTimeout
      }
      const url = pathAndQuery(request.url)
      const direct = directRoutes.find(({ prefix }) => url.startsWith(prefix))
      if (direct === undefined) {
        return answer(HttpServerRequest.fromWeb(request), url, info)
      }
      return past(direct, { ...info, request, url, started: performance.now() })
    }

    return yield* listen(config, fetch)
  })
).pipe(Layer.provide(BunHttpServer.layerContext))
