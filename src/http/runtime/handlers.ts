/**
 * The implementation of a group of endpoints, as `HttpApiBuilder.group`, of which it takes the place: each endpoint is
 * compiled once into one effect, and what a request brings is put into its own context instead of being provided anew at
 * each step.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as Scope from "effect/Scope"
import { encoder, lazily } from "../../encoding.ts"
import { CurrentRequest } from "../../shared/current-request.ts"
import { fieldsOf } from "../contract/object-text.ts"
import { Caller, CurrentUser } from "../credentials.ts"
import { type BodyRejected, bodyAs, HeldBodies, type Taking } from "./body.ts"
import type { Holder } from "./body-budget.ts"
import { BodyThread } from "./body-thread.ts"
import { header } from "./source.ts"

type Endpoint = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps

/** An effect whose types have been checked where it was written. */
type Checked = Effect.Effect<unknown, unknown, unknown>

/** What a handler is called with; by `HttpApiEndpoint`, these fields and no others. */
interface HandlerInput {
  request: HttpServerRequest.HttpServerRequest
  path?: unknown
  payload?: unknown
  headers?: unknown
  urlParams?: unknown
}

interface Handled {
  readonly endpoint: Endpoint
  readonly handler: (input: HandlerInput) => Checked
  /** Whether the body is the handler's own matter. */
  readonly isRaw: boolean
}

/** A route of this module, with the services that its handler asks for. */
const services = new WeakMap<object, Context.Context<unknown>>()

/** What a route's handler needs besides the request. */
export const servicesOf = (route: HttpRouter.Route<unknown, unknown>): Context.Context<unknown> =>
  services.get(route) ?? Context.unsafeMake(new Map())

const refuse = (issue: ParseResult.ParseIssue) =>
  Effect.fail(
    new HttpApiDecodeError({
      issues: ParseResult.ArrayFormatter.formatIssueSync(issue),
      message: ParseResult.TreeFormatter.formatIssueSync(issue)
    })
  )

type Decode = (input: unknown) => ReturnType<ReturnType<typeof ParseResult.decodeUnknownEither>>

const decoderOf = (schema: Option.Option<Schema.Schema.All>): Decode | undefined =>
  // The cast: `HttpApi` lets schemas need services; those of this service do not.
  Option.getOrUndefined(
    Option.map(schema, (given) =>
      lazily(() => ParseResult.decodeUnknownEither(given as Schema.Schema<unknown>))
    )
  )

/** Reads the headers that a schema names, and no others: the framework would copy them all. */
const headerReader = (schema: Option.Option<Schema.Schema.All>) => {
  const names = Option.match(schema, {
    onNone: () => [],
    onSome: ({ ast }) =>
      SchemaAST.getPropertySignatures(SchemaAST.encodedAST(ast)).map(({ name }) => String(name))
  })
  return (request: HttpServerRequest.HttpServerRequest): Readonly<Record<string, string>> => {
    const headers: Record<string, string> = {}
    for (const name of names) {
      const value = header(request, name)
      if (value !== undefined) headers[name] = value
    }
    return headers
  }
}

type Encode = (value: unknown) => HttpServerResponse.HttpServerResponse

/** JSON with one status; any other answer is made by the handler itself. */
const encoderOf = ({ name, successSchema }: Endpoint): Encode => {
  const { ast } = successSchema
  const members = ast._tag === "Union" ? ast.types : [ast]
  const status = HttpApiSchema.getStatusSuccessAST(ast)
  const isJson = members.every(
    (member) =>
      HttpApiSchema.getEncoding(member).kind === "Json" &&
      HttpApiSchema.getStatusSuccessAST(member) === status
  )
  if (!isJson) {
    return () => {
      throw new Error(`The endpoint ${name} has to make its answer itself`)
    }
  }
  // A value that its schema has no place for is a fault of ours: it is thrown, and so a defect.
  const encode = encoder(successSchema as Schema.Schema<unknown>)
  return (value) => HttpServerResponse.unsafeJson(encode(value), { status })
}

/** What a fiber knows, to be added to: it belongs to one request alone (`http/serve`). */
const own = (context: Context.Context<never>): Map<string, unknown> => context.unsafeMap

/** Whom a request's body is held for. A token of a KYC session has not been looked up by then: it may be made up. */
const holderOf = (services: Context.Context<never>): Holder => {
  const user = Context.getOption(services, CurrentUser)
  if (user._tag === "Some") return { companyId: user.value.company.id }
  const caller = Context.getOption(services, Caller)
  if (caller._tag === "Some") return { companyId: caller.value.companyId }
  return { address: Context.get(services, CurrentRequest).clientAddress() }
}

/** What `look` makes of the body of the request that is handled, which is held for whoever sends it. See `bodyAs`. */
export const heldBodyAs = <A>(
  look: (body: object) => A,
  apart?: Taking["apart"]
): Effect.Effect<A, BodyRejected> =>
  Effect.withFiberRuntime(({ currentContext: services }) => {
    const request = Context.unsafeGet(services, HttpServerRequest.HttpServerRequest)
    const bodies = Context.get(services, HeldBodies)
    return bodyAs(request, look, { begin: (drop) => bodies.begin(holderOf(services), drop), apart })
  })

const compile = (
  { endpoint, handler, isRaw }: Handled,
  middleware: ReadonlyArray<HttpApiMiddleware.TagClassAny>,
  context: Context.Context<unknown>
): Checked => {
  const decodePath = decoderOf(endpoint.pathSchema)
  const decodePayload = isRaw ? undefined : decoderOf(endpoint.payloadSchema)
  const fields = Option.getOrUndefined(Option.map(endpoint.payloadSchema, ({ ast }) => fieldsOf(ast)))
  const apart = fields === undefined ? undefined : { fields, take: Context.get(context, BodyThread) }
  const decodeHeaders = decoderOf(endpoint.headersSchema)
  const headersOf = headerReader(endpoint.headersSchema)
  const decodeUrlParams = decoderOf(endpoint.urlParamsSchema)
  const encode = encoderOf(endpoint)
  const respond = (value: unknown) => (HttpServerResponse.isServerResponse(value) ? value : encode(value))

  const call = (input: HandlerInput, searchParams: unknown): Checked => {
    if (decodeUrlParams !== undefined) {
      const urlParams = decodeUrlParams(searchParams)
      if (urlParams._tag === "Left") return refuse(urlParams.left)
      input.urlParams = urlParams.right
    }
    return Effect.map(handler(input), respond)
  }

  const handle: Checked = Effect.withFiberRuntime((fiber) => {
    const services = fiber.currentContext
    const request = Context.unsafeGet(services, HttpServerRequest.HttpServerRequest)
    const searchParams = Context.unsafeGet(services, HttpServerRequest.ParsedSearchParams)
    const input: HandlerInput = { request }
    if (decodePath !== undefined) {
      const path = decodePath(Context.unsafeGet(services, HttpRouter.RouteContext).params)
      if (path._tag === "Left") return refuse(path.left)
      input.path = path.right
    }
    if (decodeHeaders !== undefined) {
      const headers = decodeHeaders(headersOf(request))
      if (headers._tag === "Left") return refuse(headers.left)
      input.headers = headers.right
    }
    if (decodePayload === undefined) return call(input, searchParams)
    // A body that was refused, or broke off, is a defect that `http/reject` answers.
    return Effect.flatMap(Effect.orDie(heldBodyAs(decodePayload, apart)), (payload): Checked => {
      if (payload._tag === "Left") return refuse(payload.left)
      input.payload = payload.right
      return call(input, searchParams)
    })
  })

  return middleware.reduce((inner, tag): Checked => {
    // The cast: a middleware without `security` is implemented by an effect.
    const effect = context.unsafeMap.get(tag.key) as Checked
    const { provides } = tag
    if (HttpApiMiddleware.SecurityTypeId in tag || tag.optional) {
      throw new Error(`Middleware of the kind of ${tag.key} is not supported`)
    }
    return Effect.flatMap(effect, (value) => {
      if (provides === undefined) return inner
      return Effect.withFiberRuntime((fiber) => {
        own(fiber.currentContext).set(provides.key, value)
        return inner
      })
    })
  }, handle)
}

/** Collects handlers under the interface of `HttpApiBuilder`. */
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

/** The name of the `HttpApi` of all groups, by which its routes and their implementations find each other. */
export const apiName = "doorlock"

/**
 * Implements the endpoints of a group, with the types of `HttpApiBuilder.group`, but without the `HttpApi` that the group becomes a
 * part of: a feature knows its own routes and no others. Middleware runs as there: the endpoint's own first, the last that was added
 * before the others.
 *
 * Endpoints answer JSON with one status, or a response of their own; middleware is plain. Anything else does not start.
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
  // The cast: every group has these properties; the type it is kept under leaves them out.
  const group = declared as unknown as HttpApiGroup.HttpApiGroup.AnyWithProps
  const implement = Effect.gen(function* () {
    const context = yield* Effect.context<unknown>()
    const handled: Array<Handled> = []
    const built: unknown = build(collector(group, handled) as never)
    if (Effect.isEffect(built)) yield* built
    const routes = handled.map((one) => {
      const middleware = new Set([...group.middlewares, ...one.endpoint.middlewares])
      const app = compile(one, [...middleware], context)
      // The cast: the framework's own routes have the same types, checked by the signature of `group`.
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
  // The cast: `build` has been checked against the signature of `group`, which names what the layer is and needs.
  return HttpApiBuilder.Router.use((router) =>
    Effect.flatMap(implement, (made) => router.concat(made))
  ) as never
}
