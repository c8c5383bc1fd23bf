/** Compiles an endpoint and its middleware into one effect, once. */
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect, identity, Option, ParseResult, type Schema, SchemaAST } from "effect"
import { Replica } from "../../db/replica.ts"
import { encoder, Refused, reader } from "../../shared/encoding.ts"
import { RouteMetadata } from "../contract/error-responses.ts"
import { guardOf } from "../contract/guard.ts"
import { CallingCompany, heldBodyAs } from "./body.ts"
import { noteIgnored } from "./ignored.ts"
import { header } from "./source.ts"

export type Endpoint = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps

/** Erased types, checked where the effect was written. */
type Checked = Effect.Effect<unknown, unknown, unknown>

/** The fields that `HttpApiEndpoint` defines for handlers. */
interface HandlerInput {
  request: HttpServerRequest.HttpServerRequest
  path?: unknown
  payload?: unknown
  headers?: unknown
  urlParams?: unknown
}

export interface Handled {
  readonly endpoint: Endpoint
  readonly handler: (input: HandlerInput) => Checked
  /** Whether the handler reads the body itself. */
  readonly isRaw: boolean
}

const refuse = (issue: ParseResult.ParseIssue) =>
  Effect.fail(
    new HttpApiDecodeError({
      issues: ParseResult.ArrayFormatter.formatIssueSync(issue),
      message: ParseResult.TreeFormatter.formatIssueSync(issue)
    })
  )

const readerOf = (schema: Option.Option<Schema.Schema.All>) =>
  // The cast: `HttpApi` allows schemas that need services; doorlock's need none.
  Option.getOrUndefined(Option.map(schema, (given) => reader(given as Schema.Schema<unknown>)))

/** The names of an object's fields; undefined if it may have any. */
const namesOf = (ast: SchemaAST.AST): ReadonlySet<string> | undefined => {
  const encoded = SchemaAST.encodedAST(ast)
  if (SchemaAST.isTypeLiteral(encoded)) {
    const { indexSignatures, propertySignatures } = encoded
    return indexSignatures.length > 0
      ? undefined
      : new Set(propertySignatures.map(({ name }) => String(name)))
  }
  if (!SchemaAST.isUnion(encoded)) return undefined
  const all = encoded.types.map(namesOf)
  return all.includes(undefined) ? undefined : new Set(all.flatMap((names) => [...(names ?? [])]))
}

const namesOfAny = (schema: Option.Option<Schema.Schema.All>) =>
  Option.getOrUndefined(Option.map(schema, ({ ast }) => namesOf(ast)))

/** Reads only the headers in the schema; the framework would copy all. */
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

/** Encodes JSON with one status. A handler builds any other response itself. */
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
  // A value that does not fit its schema is a bug: encoding throws, which is a defect.
  const encode = encoder(successSchema as Schema.Schema<unknown>)
  return (value) => HttpServerResponse.unsafeJson(encode(value), { status })
}

/** Safe to change, because the fiber belongs to one request (`http/runtime/serve`). */
const own = (context: Context.Context<never>): Map<string, unknown> => context.unsafeMap

/** `context` holds the middleware implementations under the keys of their tags. */
export const compile = (
  { endpoint, handler, isRaw }: Handled,
  middleware: ReadonlyArray<HttpApiMiddleware.TagClassAny>,
  context: Context.Context<unknown>
): Checked => {
  const readPath = readerOf(endpoint.pathSchema)
  const readPayload = isRaw ? undefined : readerOf(endpoint.payloadSchema)
  const bodyNames = namesOfAny(endpoint.payloadSchema)
  const queryNames = Option.isNone(endpoint.urlParamsSchema)
    ? new Set<string>()
    : namesOfAny(endpoint.urlParamsSchema)
  const readHeaders = readerOf(endpoint.headersSchema)
  const headersOf = headerReader(endpoint.headersSchema)
  const readUrlParams = readerOf(endpoint.urlParamsSchema)
  const encode = encoderOf(endpoint)
  const { fromStandby } = Context.get(endpoint.annotations as Context.Context<RouteMetadata>, RouteMetadata)
  const read = fromStandby ? Context.get(context, Replica).reading : identity<Checked>
  const respond = (value: unknown) => (HttpServerResponse.isServerResponse(value) ? value : encode(value))

  const call = (input: HandlerInput, searchParams: object): Checked => {
    if (queryNames !== undefined) noteIgnored(input.request, queryNames, searchParams)
    if (readUrlParams !== undefined) {
      const urlParams = readUrlParams(searchParams)
      if (urlParams instanceof Refused) return refuse(urlParams.issue)
      input.urlParams = urlParams
    }
    return Effect.map(read(handler(input)), respond)
  }

  const handle: Checked = Effect.withFiberRuntime((fiber) => {
    const services = fiber.currentContext
    const request = Context.unsafeGet(services, HttpServerRequest.HttpServerRequest)
    const searchParams = Context.unsafeGet(services, HttpServerRequest.ParsedSearchParams)
    const input: HandlerInput = { request }
    if (readPath !== undefined) {
      const path = readPath(Context.unsafeGet(services, HttpRouter.RouteContext).params)
      if (path instanceof Refused) return refuse(path.issue)
      input.path = path
    }
    if (readHeaders !== undefined) {
      const headers = readHeaders(headersOf(request))
      if (headers instanceof Refused) return refuse(headers.issue)
      input.headers = headers
    }
    if (readPayload === undefined) return call(input, searchParams)
    const look = (body: object) => {
      if (bodyNames !== undefined) noteIgnored(request, bodyNames, body)
      return readPayload(body)
    }
    // `http/runtime/reject` responds to a refused or broken body.
    return Effect.flatMap(Effect.orDie(heldBodyAs(look)), (payload): Checked => {
      if (payload instanceof Refused) return refuse(payload.issue)
      input.payload = payload
      return call(input, searchParams)
    })
  })

  return middleware.reduce((inner, tag): Checked => {
    // The cast: middleware without `security` is an effect.
    const effect = context.unsafeMap.get(tag.key) as Checked
    const { provides } = tag
    if (HttpApiMiddleware.SecurityTypeId in tag || tag.optional) {
      throw new Error(`Middleware of the kind of ${tag.key} is not supported`)
    }
    // The cast: the guard takes what its own tag provides.
    const companyOf = guardOf(tag)?.companyOf as ((provided: unknown) => string) | undefined
    return Effect.flatMap(effect, (value) => {
      if (provides === undefined) return inner
      return Effect.withFiberRuntime((fiber) => {
        const known = own(fiber.currentContext)
        known.set(provides.key, value)
        if (companyOf !== undefined) known.set(CallingCompany.key, companyOf(value))
        return inner
      })
    })
  }, handle)
}
