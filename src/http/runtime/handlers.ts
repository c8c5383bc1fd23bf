/**
 * Replaces `HttpApiBuilder.group`: compiles each endpoint once into one effect, and puts a request's values
 * into one context instead of providing them again at each step.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpRouter from "@effect/platform/HttpRouter"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect, type Layer, type Scope } from "effect"
import type { apiName } from "../contract/error-responses.ts"
import { compile, type Endpoint, type Handled } from "./endpoint.ts"

const services = new WeakMap<object, Context.Context<unknown>>()

/** What a route's handler needs, apart from the request. */
export const servicesOf = (route: HttpRouter.Route<unknown, unknown>): Context.Context<unknown> =>
  services.get(route) ?? Context.unsafeMake(new Map())

/** Collects handlers through the interface of `HttpApiBuilder`. */
const collector = (group: HttpApiGroup.HttpApiGroup.AnyWithProps, handled: Array<Handled>) => {
  const collect = (isRaw: boolean) => (name: string, handler: Handled["handler"]) => {
    const endpoint = group.endpoints[name]
    if (endpoint === undefined) throw new Error(`The group ${group.identifier} has no endpoint ${name}`)
    handled.push({ endpoint: endpoint as Endpoint, handler, isRaw })
    return handlers
  }
  const handlers = { handle: collect(false), handleRaw: collect(true) }
  return handlers
}

/**
 * Implements the endpoints of a group, with the types of `HttpApiBuilder.group` but without the enclosing
 * `HttpApi`: a feature knows only its own routes. Middleware runs in the same order as there: the endpoint's
 * own first, and of those the last added. An endpoint returns JSON with one status, or builds its own
 * response. The server does not start with optional middleware or `security`.
 */
export const group = <Group extends HttpApiGroup.HttpApiGroup.Any, Return>(
  declared: Group,
  build: (
    handlers: HttpApiBuilder.Handlers.FromGroup<HttpApiDecodeError, never, Group>
  ) => HttpApiBuilder.Handlers.ValidateReturn<Return>
): Layer.Layer<
  HttpApiGroup.ApiGroup<typeof apiName, HttpApiGroup.HttpApiGroup.Name<Group>>,
  HttpApiBuilder.Handlers.Error<Return>,
  Exclude<
    | HttpApiBuilder.Handlers.Context<Return>
    | HttpApiGroup.HttpApiGroup.MiddlewareWithName<Group, HttpApiGroup.HttpApiGroup.Name<Group>>,
    Scope.Scope
  >
> => {
  // The cast: every group has these properties.
  const group = declared as unknown as HttpApiGroup.HttpApiGroup.AnyWithProps
  const implement = Effect.gen(function* () {
    const context = yield* Effect.context<unknown>()
    const handled: Array<Handled> = []
    const built: unknown = build(collector(group, handled) as never)
    if (Effect.isEffect(built)) yield* built
    const routes = handled.map((one) => {
      const middleware = new Set([...group.middlewares, ...one.endpoint.middlewares])
      const app = compile(one, [...middleware], context)
      // The cast: the signature of `group` has checked the types.
      const route = HttpRouter.makeRoute(
        one.endpoint.method,
        one.endpoint.path,
        app as Effect.Effect<HttpServerResponse.HttpServerResponse>
      )
      services.set(route, context)
      return route
    })
    return HttpRouter.fromIterable(routes)
  })
  // The cast: the signature of `group` states what the layer provides and needs.
  return HttpApiBuilder.Router.use((router) =>
    Effect.flatMap(implement, (made) => router.concat(made))
  ) as never
}
