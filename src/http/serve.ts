/**
 * Serves the application with `Bun.serve`, and lets what is in flight finish when the process stops.
 *
 * Not `BunHttpServer`: its finalizer interrupts running requests and answers them 503, and it starts a
 * fiber set entry and an abort listener for every request. Handlers here are short and run to their end;
 * a client that goes away costs nothing more than its answer.
 */

import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import type { Server } from "bun"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import { Config, type Configuration } from "../config.ts"
import { AccessLogger } from "../observability/access-log.ts"
import { clientAddress } from "./client-address.ts"
import { errorBody } from "./contract.ts"
import { DirectRoutes } from "./direct.ts"
import { edge, pastRouter, requestId } from "./edge.ts"
import { Lifecycle } from "./lifecycle.ts"
import { type Contract, contractOf } from "./reflection.ts"
import { rejecting } from "./reject.ts"
import { type RouteTable, routable, routerConfig, routeTable } from "./routes.ts"

/** How long a stopping process keeps accepting, so that a load balancer sees `/readyz` fail first. */
const lameDuck = Duration.millis(250)

/** How long requests in flight may take to finish before their connections are cut. */
const drainDeadline = Duration.seconds(25)

/** Seconds without a byte after which Bun closes a connection; its longest. */
const idleTimeout = 120

/** The port and address that are really listened on. */
export class Listening extends Context.Tag("Listening")<
  Listening,
  { readonly hostname: string; readonly port: number }
>() {}

/** Whether other processes of this service listen on the port too. */
export class SharedPort extends Context.Reference<SharedPort>()("doorlock/http/SharedPort", {
  defaultValue: () => false
}) {}

/** The address cannot be listened on; the message is one sentence that names it. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{ readonly message: string }> {}

/** For what the system said against listening. */
export const listenFailed = ({ host, port }: Pick<Configuration, "host" | "port">, cause: unknown) =>
  new ListenFailed({
    message: `Cannot listen on HOST ${host}, PORT ${port}: ${cause instanceof Error ? cause.message : cause}`
  })

const stop = (server: Server<undefined>) =>
  Effect.logInfo("Stopping: requests in flight are let finish").pipe(
    Effect.zipRight(Effect.sleep(lameDuck)),
    Effect.zipRight(Effect.promise(() => server.stop())),
    // `stop` settles by itself only when the last request has. A finalizer's effects are uninterruptible, and
    // a timeout would wait for it all the same.
    Effect.interruptible,
    Effect.timeoutOption(drainDeadline),
    Effect.flatMap((stopped) =>
      stopped._tag === "Some"
        ? Effect.void
        : Effect.zipRight(
            Effect.logWarning(`Cutting ${server.pendingRequests} requests that did not finish`),
            Effect.sync(() => void server.stop(true))
          )
    )
  )

/** Every route of the server: the contract's, and those that pages and operations add to the router. */
const allRoutes = (contract: Contract, router: HttpRouter.HttpRouter<unknown, unknown>): RouteTable => {
  const others = Chunk.toReadonlyArray(router.routes).flatMap(({ method, path }) =>
    contract.routes.some((route) => route.method === method && route.pattern === path)
      ? []
      : [{ method, pattern: path, answers: undefined }]
  )
  return routeTable([...contract.routes, ...others])
}

/**
 * Listens, from the time the layer is built until its scope closes. What it depends on, the database
 * above all, is released after the last request has been answered.
 */
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
    const contract = contractOf(api)
    const routes = allRoutes(contract, router)
    const app = rejecting(
      contract,
      routes
    )(yield* HttpRouter.toHttpApp(router).pipe(HttpRouter.withRouterConfig(routerConfig)))
    const throughEdge = edge({
      routes,
      accessLog: yield* AccessLogger,
      strictTransport: config.baseUrl.startsWith("https:"),
      traced: config.otlpEndpoint !== undefined,
      draining: lifecycle.isDraining
    })
    const runFork = Runtime.runFork(runtime)

    /** For a fault of the edge itself, behind which there is nobody else to answer. */
    const broken = (id: string, cause: Cause.Cause<unknown>) => {
      runFork(Effect.annotateLogs(Effect.logError("Request failed", cause), { requestId: id }))
      return Response.json(errorBody("plain", "Internal server error"), {
        status: 500,
        headers: { "x-request-id": id }
      })
    }

    const past = pastRouter({
      accessLog: yield* AccessLogger,
      strictTransport: config.baseUrl.startsWith("https:"),
      draining: lifecycle.isDraining,
      broken: (id, error) => broken(id, Cause.die(error))
    })

    const fetch = (request: Request, server: Server<undefined>) => {
      const received = HttpServerRequest.fromWeb(request)
      const id = requestId(request.headers.get("x-request-id") ?? undefined)
      // Of a connection that has been closed nobody can be asked any more.
      const peer = server.requestIP(request)?.address ?? ""
      const address = () => clientAddress(peer, request.headers.get("x-forwarded-for"), config.trustedProxies)
      const direct = directRoutes.find(({ prefix }) => received.url.startsWith(prefix))
      if (direct !== undefined) {
        return past(direct, {
          request,
          url: received.url,
          id,
          clientAddress: address,
          allowSilence: (seconds) => server.timeout(request, seconds)
        })
      }
      const url = routable(received.url)
      return new Promise<Response>((resolve) => {
        const fiber = runFork(
          Effect.scoped(
            throughEdge(app, url === received.url ? received : received.modify({ url }), {
              id,
              clientAddress: address
            })
          )
        )
        fiber.addObserver((exit) =>
          resolve(
            exit._tag === "Success"
              ? HttpServerResponse.toWeb(exit.value, { runtime, withoutBody: request.method === "HEAD" })
              : broken(id, exit.cause)
          )
        )
      })
    }

    const reusePort = yield* SharedPort
    const server = yield* Effect.acquireRelease(
      Effect.try({
        try: () =>
          Bun.serve({
            port: config.port,
            hostname: config.host,
            reusePort,
            idleTimeout,
            // Bodies are bounded where they are read (`http/body`), with an answer of our own.
            maxRequestBodySize: Number.MAX_SAFE_INTEGER,
            fetch
          }),
        catch: (cause) => listenFailed(config, cause)
      }),
      (server) => Effect.zipRight(lifecycle.startDraining, stop(server))
    )
    return { hostname: server.hostname ?? config.host, port: server.port ?? config.port }
  })
).pipe(Layer.provide(BunHttpServer.layerContext))
