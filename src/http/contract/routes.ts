/** Declares routes as records. The server, the OpenAPI document and the dashboard's calls are built from them. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import type * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Context, Record, Schema } from "effect"
import { sentenceCode, undeclaredCode } from "./error-code.ts"
import { type Example, RouteMetadata } from "./error-responses.ts"
import { NoFields } from "./fields.ts"
import { rejectsOf } from "./rejects.ts"

type Plain = Schema.Schema.AnyNoContext
type Endpoint = HttpApiEndpoint.HttpApiEndpoint.Any
type Middleware = HttpApiMiddleware.HttpApiMiddleware.AnyId

/** For example `POST /api/api-keys/:id/revoke`. */
type Address = `${"GET" | "PATCH" | "POST"} /${string}`
type MethodOf<A extends Address> = A extends `${infer Method extends "GET" | "PATCH" | "POST"} ${string}`
  ? Method
  : never
type ParameterOf<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never

/** Who may call one route, or all routes of a group. Features make these values: `user("read")`. */
interface Access<Id, Provided> {
  readonly guard?: Context.Tag<Id, Provided>
  /** A sentence on who may call (`RouteMetadata`); required if no guard requires a credential. */
  readonly caller?: string
}

interface Accessible<Id, Provided> {
  readonly access?: Access<Id, Provided>
  readonly anyOrigin?: boolean
}

/** Access without a guard. @param caller a sentence on who may call */
export const unguarded = (caller: string) => ({ caller })

/** What each path parameter identifies, such as `the session`. */
type Ids<A extends Address> = [ParameterOf<A>] extends [never]
  ? { readonly ids?: never }
  : { readonly ids: Readonly<Record<ParameterOf<A>, string>> }

interface RouteOptions<Query, Headers, Body, Success, Failure, Id, Provided>
  extends Accessible<Id, Provided>,
    Partial<
      Pick<RouteMetadata, "compressed" | "form" | "fromStandby" | "protocolErrors" | "rejectPatterns">
    > {
  readonly summary: string
  readonly description?: string
  readonly ids?: Readonly<Record<string, string>>
  readonly headers?: Headers
  readonly query?: Query
  /** Without it, a POST still takes a JSON body, and ignores its fields. */
  readonly body?: Body
  readonly success: Success
  readonly responseHeaders?: RouteMetadata["headers"]
  /** Made by `fails`. */
  readonly errors?: ReadonlyArray<Failure>
  /** Messages of a 400, besides those of the schemas. */
  readonly rejects?: ReadonlyArray<string>
  readonly unexpected: string
}

export const created = <A, I>(answer: Schema.Schema<A, I>) =>
  answer.annotations(HttpApiSchema.annotations({ status: 201 }))

export const accepted = <A, I>(answer: Schema.Schema<A, I>) =>
  answer.annotations(HttpApiSchema.annotations({ status: 202 }))

const idOf = (what: string) => Schema.String.annotations({ description: `The id of ${what}.` })

/** @param name unique within the group; the dashboard calls the route as `<group>.<name>` */
export const route = <
  const Name extends string,
  const A extends Address,
  Success extends Schema.Schema.Any,
  Query extends Schema.Schema.Any = never,
  Headers extends Schema.Schema.Any = never,
  Body extends Schema.Schema.Any = never,
  Failure extends Schema.Schema.Any = never,
  Id extends Middleware = never,
  Provided = never
>(
  name: Name,
  address: A,
  options: RouteOptions<
    Query & HttpApiEndpoint.HttpApiEndpoint.ValidateUrlParams<Query>,
    Headers & HttpApiEndpoint.HttpApiEndpoint.ValidateHeaders<Headers>,
    Body,
    Success,
    Failure,
    Id,
    Provided
  > &
    Ids<A>
): HttpApiEndpoint.HttpApiEndpoint<
  Name,
  MethodOf<A>,
  [ParameterOf<A>] extends [never] ? never : Readonly<Record<ParameterOf<A>, string>>,
  Schema.Schema.Type<Query>,
  Schema.Schema.Type<Body>,
  Schema.Schema.Type<Headers>,
  Schema.Schema.Type<Success>,
  Schema.Schema.Type<Failure> | HttpApiMiddleware.HttpApiMiddleware.Error<Id>,
  Schema.Schema.Context<Query | Headers | Body | Success> | Id,
  Schema.Schema.Context<Failure> | HttpApiMiddleware.HttpApiMiddleware.ErrorContext<Id>
> => {
  // The casts: the exact types no longer matter here, and an address is a method and a path.
  const plain = options as unknown as RouteOptions<Plain, Plain, Plain, Plain, Plain, Middleware, unknown>
  const {
    access: { caller, guard } = {},
    description,
    errors = [],
    headers,
    ids,
    query,
    rejectPatterns = [],
    unexpected
  } = plain
  const [method, path] = address.split(" ") as ["GET" | "PATCH" | "POST", HttpApiEndpoint.PathSegment]
  const body = plain.body ?? (method === "POST" ? NoFields : undefined)
  let endpoint = HttpApiEndpoint.make(method)(
    name,
    path
  ) as unknown as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
  if (ids !== undefined) endpoint = endpoint.setPath(Schema.Struct(Record.map(ids, idOf)))
  if (headers !== undefined) endpoint = endpoint.setHeaders(headers)
  if (query !== undefined) endpoint = endpoint.setUrlParams(query)
  if (body !== undefined) endpoint = endpoint.setPayload(body)
  endpoint = endpoint.addSuccess(plain.success)
  for (const error of errors) endpoint = endpoint.addError(error)
  if (guard !== undefined) endpoint = endpoint.middleware(guard)
  endpoint = endpoint.annotate(OpenApi.Summary, plain.summary)
  if (description !== undefined) endpoint = endpoint.annotate(OpenApi.Description, description)
  const schemas = [headers, query, body].filter((schema) => schema !== undefined)
  const rejects = [
    ...schemas.flatMap(({ ast }) => rejectsOf(ast)),
    ...(plain.rejects ?? []).map((message) => ({ message, code: sentenceCode(message) }))
  ]
  const codes = new Map([
    ...rejects.map(({ code, message }) => [message, code] as const),
    [unexpected, sentenceCode(unexpected)]
  ])
  // The cast: the endpoint now has the types of the signature.
  return endpoint.annotate(RouteMetadata, {
    form: options.form ?? "plain",
    // A message that several checks share is listed once, at the last of them.
    rejects: rejects
      .map(({ message }) => message)
      .filter((message, at, all) => all.lastIndexOf(message) === at),
    rejectPatterns,
    codeOf: (message) =>
      codes.get(message) ??
      rejectPatterns.find(({ pattern }) => pattern.test(message))?.code ??
      undeclaredCode,
    unexpected,
    protocolErrors: plain.protocolErrors ?? [],
    caller,
    example: undefined,
    headers: options.responseHeaders ?? {},
    anyOrigin: options.anyOrigin ?? false,
    fromStandby: options.fromStandby ?? false,
    compressed: options.compressed ?? false
  }) as never
}

/** Declares a group of routes. A class extends the result, so that compiler messages are short. */
export const routeGroup = <
  const Name extends string,
  Endpoints extends ReadonlyArray<Endpoint>,
  Id extends Middleware = never,
  Provided = never
>(
  name: Name,
  options: Accessible<Id, Provided> & {
    readonly title: string
    readonly description: string
    readonly examples: Readonly<Record<HttpApiEndpoint.HttpApiEndpoint.Name<Endpoints[number]>, Example>>
  },
  ...endpoints: Endpoints
) => {
  const { access: { caller, guard } = {}, anyOrigin } = options
  // The cast: the signature requires an example for each name.
  const examples = options.examples as Readonly<Record<string, Example>>
  let group = HttpApiGroup.make(name)
    .annotate(OpenApi.Title, options.title)
    .annotate(OpenApi.Description, options.description) as unknown as HttpApiGroup.HttpApiGroup.AnyWithProps
  for (const endpoint of endpoints as ReadonlyArray<unknown> as ReadonlyArray<HttpApiEndpoint.HttpApiEndpoint.AnyWithProps>) {
    const own = Context.get(endpoint.annotations as Context.Context<RouteMetadata>, RouteMetadata)
    group = group.add(
      endpoint.annotate(RouteMetadata, {
        ...own,
        example: examples[endpoint.name],
        caller: own.caller ?? caller,
        anyOrigin: own.anyOrigin || (anyOrigin ?? false)
      })
    )
  }
  // The cast: the group has these endpoints and this guard.
  return (guard === undefined ? group : group.middleware(guard)) as unknown as HttpApiGroup.HttpApiGroup<
    Name,
    Endpoints[number],
    HttpApiDecodeError | HttpApiMiddleware.HttpApiMiddleware.Error<Id>,
    Id | HttpApiMiddleware.HttpApiMiddleware.ErrorContext<Id>
  >
}
