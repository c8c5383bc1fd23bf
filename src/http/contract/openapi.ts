/**
 * The OpenAPI 3.1 description, made from the contract: the framework's own description of paths, fields and
 * good answers, and in place of its errors the exact ones of the contract's rows.
 */
import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  DashboardMember,
  DashboardOwner,
  DashboardSession,
  FileReader,
  SameSite,
  SessionBearer,
  SessionCreator,
  SessionReader
} from "../credentials.ts"
import { bodyDropped, bodyRejects, maxBodyBytes } from "../runtime/body.ts"
import { respondWith } from "../runtime/document.ts"
import { ambiguities } from "../runtime/source.ts"
import { type Answers, type Caller, type ErrorForm, errorBody } from "./answers.ts"
import { errorHeader } from "./error-code.ts"
import { contractOf, type DeclaredRoute } from "./reflection.ts"

type Json = { readonly [key: string]: unknown }

export interface Description {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly serverUrl: string
}

const securitySchemes = {
  apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "A platform API key (`dlk_`)." },
  apiKeyBearer: {
    type: "http",
    scheme: "bearer",
    description: "A platform API key (`dlk_`). `x-api-key` wins."
  },
  dashboardCookie: {
    type: "apiKey",
    in: "cookie",
    name: "dashboard_session",
    description: "The session that sign-in begins."
  },
  dashboardBearer: { type: "http", scheme: "bearer", description: "The same session's token (`dls_`)." },
  sessionBearer: { type: "http", scheme: "bearer", description: "The token of a KYC session (`kyc_sess_`)." }
} as const

const byKey = [{ apiKey: [] }, { apiKeyBearer: [] }]
const byDashboard = [{ dashboardCookie: [] }, { dashboardBearer: [] }]

interface Guard {
  readonly security: ReadonlyArray<Json>
  /** Who gets past it. */
  readonly who: string
}

/** By the key of the middleware tag. */
const guards: Readonly<Record<string, Guard>> = {
  [DashboardSession.key]: { security: byDashboard, who: "For every signed-in user." },
  [DashboardMember.key]: { security: byDashboard, who: "For signed-in members and owners." },
  [DashboardOwner.key]: { security: byDashboard, who: "For signed-in owners." },
  [SessionCreator.key]: {
    security: byKey,
    who: "For platform API keys with the scope `kyc:sessions:create`."
  },
  [SessionReader.key]: {
    security: [...byKey, ...byDashboard],
    who: "For platform API keys with the scope `kyc:sessions:read`, and for every signed-in user."
  },
  [FileReader.key]: {
    security: [...byKey, ...byDashboard],
    who: "For platform API keys with the scope `kyc:files:read`, and for every signed-in user. With `original=true`: for platform API keys with the scope `kyc:files:original`, and for owners and members."
  },
  [SessionBearer.key]: { security: [{ sessionBearer: [] }], who: "For whoever has the session's token." },
  [SameSite.key]: { security: [], who: "Refused to pages of other sites." }
}

/** The guards of a route. Dies when one is not in the table: the document would say that anybody may call. */
const guardsOf = ({ method, middleware, pattern }: DeclaredRoute): ReadonlyArray<Guard> =>
  middleware.map((key) => {
    const guard = guards[key]
    if (guard === undefined) throw new Error(`${method} ${pattern}: the document does not know ${key}`)
    return guard
  })

const callers: Readonly<Record<Caller, string>> = {
  anybody: "Needs no credential.",
  "token of the session": "For whoever has the session's token, which is `token` in the query or the body.",
  "secret of the handoff link": "For whoever has the handoff's link, whose secret is `secret` in the body.",
  "token of the invitation": "For whoever has the invitation's link, whose token is `token` in the body.",
  "reader of metrics":
    "For whoever presents `METRICS_TOKEN` as `Authorization: Bearer`; where none is set, for this machine and private networks."
}

/**
 * Who may call, in words. Dies for a route that no credential guards, unless it says itself who may, or that says it of itself
 * beside a credential: the document would be wrong.
 */
const whoMayCall = (
  { answers: { caller }, method, pattern }: DeclaredRoute,
  guarding: ReadonlyArray<Guard>
): ReadonlyArray<string> => {
  const isGuarded = guarding.some(({ security }) => security.length > 0)
  if (isGuarded === (caller !== undefined)) {
    throw new Error(`${method} ${pattern}: has to say who may call, by its middleware or by itself`)
  }
  return [...(caller === undefined ? [] : [callers[caller]]), ...guarding.map(({ who }) => who)]
}

const reasons: Readonly<Record<number, string>> = {
  400: "The request is not as it must be",
  401: "No credential, or not a good one",
  403: "The credential does not permit it",
  404: "There is no such thing",
  408: "The body did not arrive in time",
  409: "It is not in a state for it",
  410: "It has expired",
  413: "The request is too large",
  415: "The body is of another type",
  422: "It contradicts an earlier request",
  429: "Too many of these; see `Retry-After`",
  500: "A fault of the service",
  503: "Not now"
}

interface RouteError {
  readonly code: string
  readonly message: string
}

/** Every error of a route by status; of those that have many sentences, one. */
export const errorsOf = ({
  answers,
  failures,
  takesBody
}: DeclaredRoute): ReadonlyMap<number, ReadonlyArray<RouteError>> => {
  const errors = new Map<number, Map<string, string>>()
  const add = ({ code, message, status }: RouteError & { readonly status: number }) =>
    errors.set(status, (errors.get(status) ?? new Map<string, string>()).set(code, message))
  for (const ambiguity of Object.values(ambiguities)) add(ambiguity)
  if (takesBody) for (const reject of Object.values(bodyRejects)) add(reject)
  for (const message of answers.rejects) add({ status: 400, code: answers.codeOf(message), message })
  for (const { code, example } of answers.rejectPatterns) add({ status: 400, code, message: example })
  for (const failure of failures) add(failure)
  if (takesBody) add(bodyDropped)
  add({ status: 500, code: answers.codeOf(answers.unexpected), message: answers.unexpected })
  return new Map(
    [...errors]
      .sort(([left], [right]) => left - right)
      .map(([status, messages]) => [status, [...messages].map(([code, message]) => ({ code, message }))])
  )
}

const retryAfterHeader = {
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer", minimum: 0 } }
}

const codeHeader = (codes: ReadonlyArray<string>) => ({
  [errorHeader]: {
    description: "Which error it is. Codes never change; further ones may come.",
    required: true,
    // Not an `enum`: generators would make it a closed type, which every further code breaks.
    schema: { type: "string", examples: codes }
  }
})

/** The name of the schema of error bodies in this form. */
const errorSchemaName = { plain: "Error", captcha: "CaptchaError" } as const satisfies Record<
  ErrorForm,
  string
>

const errorSentence = { type: "string", description: "One sentence, for people." }

const errorSchemas = {
  Error: {
    type: "object",
    description: "What went wrong. The header `doorlock-error` says it for programs.",
    required: ["error"],
    properties: { error: errorSentence }
  },
  CaptchaError: {
    type: "object",
    description: "The same, on the route that verifies captcha tokens.",
    required: ["ok", "error"],
    properties: { ok: { type: "boolean", enum: [false] }, error: errorSentence }
  }
}

const errorResponse = (form: ErrorForm, status: number, errors: ReadonlyArray<RouteError>): Json => ({
  description: reasons[status] ?? "An error",
  headers: {
    ...codeHeader(errors.map(({ code }) => code)),
    ...(status === 429 ? retryAfterHeader : undefined)
  },
  content: {
    "application/json": {
      schema: { $ref: `#/components/schemas/${errorSchemaName[form]}` },
      examples: Object.fromEntries(
        errors.map(({ code, message }) => [code, { value: errorBody(form, message) }])
      )
    }
  }
})

/** Answers that several routes have, and stand in the document once. */
type SharedResponses = Map<string, Json>

/** The error answers of a route. One of a single sentence is shared, under its status and code. */
const errorResponses = (route: DeclaredRoute, shared: SharedResponses): Json => {
  const { form } = route.answers
  const described = ([status, errors]: readonly [number, ReadonlyArray<RouteError>]) => {
    const response = errorResponse(form, status, errors)
    const [only, ...others] = errors
    if (only === undefined || others.length > 0) return [String(status), response]
    const name = `${form === "plain" ? "" : `${form}-`}${status}-${only.code}`
    shared.set(name, response)
    return [String(status), { $ref: `#/components/responses/${name}` }]
  }
  return Object.fromEntries([...errorsOf(route)].map(described))
}

/** Titles and descriptions of the framework's own. Ours begin with a capital letter, or with what they name in backticks. */
const generatedTitle = /^(?:[a-z]+\(.*\)|int|Int|NonEmptyString|nonEmptyString|unknown)$/i
const generatedDescription = /^an? /

const object = (value: unknown): Json => (typeof value === "object" && value !== null ? { ...value } : {})

/** Ids are UUIDs on every route, and are named like this. */
const isIdName = (name: string): boolean => /^id$|_id$|Id$/.test(name)

const asId = (schema: Json): Json => {
  if (schema.type === "string") return { ...schema, format: "uuid" }
  return Array.isArray(schema.anyOf)
    ? { ...schema, anyOf: schema.anyOf.map((one) => asId(object(one))) }
    : schema
}

/**
 * A field of a body. A default is told in words: generators take a field that has one for a field that is always there, and then
 * ask for it in requests, too.
 */
const field = (name: string, { default: given, ...schema }: Json): Json => {
  const told = isIdName(name) ? asId(schema) : schema
  if (given === undefined) return told
  const description = `${schema.description ?? ""} By default ${JSON.stringify(given)}.`.trim()
  return { ...told, description }
}

const fields = (properties: Json): Json =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, field(name, object(schema))]))

/**
 * The framework's schemas without what it adds of its own: names of filters as titles, identifiers that are no addresses, and the
 * claim that further properties are refused (they are ignored). An object without known fields is said to hold any.
 */
const tidySchema = (schema: Json): Json => {
  const { $id, additionalProperties, ...known } = schema
  const rest: Json = Object.fromEntries(
    Object.entries(known).filter(([key, value]) => {
      if (key === "required") return !(Array.isArray(value) && value.length === 0)
      if (key === "title") return !generatedTitle.test(String(value))
      return !(key === "description" && typeof value === "string" && generatedDescription.test(value))
    })
  )
  const properties = object(rest.properties)
  const isOpen = rest.type === "object" && Object.keys(properties).length === 0
  const more = additionalProperties === false ? undefined : additionalProperties
  return {
    ...rest,
    ...(isOpen
      ? { additionalProperties: more ?? true }
      : more === undefined
        ? {}
        : { additionalProperties: more }),
    ...(rest.properties === undefined ? {} : { properties: fields(properties) })
  }
}

/** Schemas of the framework that are numbers: written where they are referred to, with the bounds they have there. */
const numbersOf = (schemas: Json): ReadonlyMap<string, Json> =>
  new Map(
    Object.entries(schemas).flatMap(([name, schema]) => {
      const { title, description, ...number } = object(schema)
      return number.type === "integer" || number.type === "number"
        ? [[`#/components/schemas/${name}`, number] as const]
        : []
    })
  )

const tidy = (value: unknown, numbers: ReadonlyMap<string, Json>): unknown => {
  if (Array.isArray(value)) return value.map((item) => tidy(item, numbers))
  if (typeof value !== "object" || value === null) return value
  const { $ref, ...beside } = object(value)
  const number = numbers.get(String($ref))
  const written = number === undefined ? object(value) : { ...number, ...beside }
  return tidySchema(
    Object.fromEntries(Object.entries(written).map(([key, inner]) => [key, tidy(inner, numbers)]))
  )
}

/** `value` with its JSON content, when it has any, given an example. */
const withExample = (value: unknown, example: unknown): Json => {
  const content = object(object(value).content)
  if (content["application/json"] === undefined) return object(value)
  const json = { ...object(content["application/json"]), example }
  return { ...object(value), content: { ...content, "application/json": json } }
}

/** `value` with the headers, when there are any. */
const withHeaders = (value: Json, headers: Answers["headers"]): Json => {
  const described = Object.entries(headers).map(([name, header]) => [
    name,
    { ...header, schema: { type: "string" } }
  ])
  return described.length === 0 ? value : { ...value, headers: Object.fromEntries(described) }
}

/** Described once, by its tidied schema: the framework copies a description of its own making beside it. */
const asParameter = (value: unknown): Json => {
  const { description: _, schema: given, ...parameter } = object(value)
  const { description, ...schema } = object(given)
  return {
    ...parameter,
    ...(description === undefined ? {} : { description }),
    schema: isIdName(String(parameter.name)) ? asId(schema) : schema
  }
}

/** What a route says of the body it takes; of one that has no fields for it, nothing. */
const bodyOf = ({ answers, body }: DeclaredRoute, requestBody: unknown): Json => {
  if (requestBody === undefined || body === "none") return {}
  const { example } = answers
  const described =
    example?.request === undefined ? object(requestBody) : withExample(requestBody, example.request)
  return { requestBody: { ...described, required: body === "required" } }
}

const describeRoute = (route: DeclaredRoute, operation: Json, shared: SharedResponses): Json => {
  const { example, headers } = route.answers
  const guarding = guardsOf(route)
  const who = whoMayCall(route, guarding)
  const { description, requestBody, ...rest } = operation
  const parameters = Array.isArray(operation.parameters) ? operation.parameters.map(asParameter) : []
  const good = Object.entries(object(operation.responses)).filter(([status]) => status.startsWith("2"))
  return {
    ...rest,
    ...(parameters.length === 0 ? {} : { parameters }),
    security: guarding.flatMap(({ security }) => security),
    description: [...(description === undefined ? [] : [description]), ...who].join("\n\n"),
    ...bodyOf(route, requestBody),
    responses: {
      ...Object.fromEntries(
        good.map(([status, response]) => [
          status,
          withHeaders(
            example === undefined ? object(response) : withExample(response, example.response),
            headers
          )
        ])
      ),
      ...errorResponses(route, shared)
    }
  }
}

/** Components that only the framework's own errors refer to, and the body of a route that needs none. */
const leftOut = new Set(["HttpApiDecodeError", "Issue", "PropertyKey", "NoFields"])

const pathOf = (pattern: string): string => pattern.replace(/:(\w+)/g, "{$1}")

/** The OpenAPI document of `api`. */
export const describe = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  { description, serverUrl, title, version }: Description
): Json => {
  const given = object(OpenApi.fromApi(api))
  const numbers = numbersOf(object(object(given.components).schemas))
  const base = object(tidy(given, numbers))
  const paths: Record<string, Json> = {}
  const shared: SharedResponses = new Map()
  for (const route of contractOf(api).routes) {
    const path = pathOf(route.pattern)
    const method = route.method.toLowerCase()
    const operation = object(object(object(base.paths)[path])[method])
    paths[path] = { ...paths[path], [method]: describeRoute(route, operation, shared) }
  }
  const schemas = Object.entries(object(object(base.components).schemas))
  return {
    openapi: "3.1.0",
    info: {
      title,
      version,
      description,
      contact: { name: "Who runs this installation", url: serverUrl },
      license: { name: "MIT", identifier: "MIT" }
    },
    servers: [{ url: serverUrl }],
    tags: base.tags,
    paths,
    components: {
      schemas: {
        ...Object.fromEntries(
          schemas.filter(([name]) => !leftOut.has(name) && !numbers.has(`#/components/schemas/${name}`))
        ),
        ...errorSchemas
      },
      responses: Object.fromEntries(shared),
      securitySchemes
    }
  }
}

export const about = {
  title: "doorlock",
  version: "0.1.0",
  description: [
    "Platform API keys, identity-verification (KYC) sessions, and a marketplace of APIs.",
    'Every error is `{"error": "<message>"}`, and nothing more; captcha/verify adds `"ok": false`. Its code, for programs, is in the header `doorlock-error`: each route lists its own, and any address may also answer 404 `not-found`, 405 `method-not-allowed` and 500 `internal-server-error`.',
    `Bodies, but those of uploads, are JSON of at most ${maxBodyBytes} bytes; unknown fields are ignored. Numbers are read as IEEE 754 doubles. Times are ISO 8601 in UTC.`,
    "Every answer carries `x-request-id`."
  ].join("\n\n")
} as const

/** The document of the API at this address. */
export const documentAt = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  serverUrl: string
): Json => describe(api, { ...about, serverUrl })

/** Serves the document at `/openapi.json`. */
export const layer = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  serverUrl: string
) =>
  HttpApiBuilder.Router.use((router) =>
    router.get(
      "/openapi.json",
      respondWith(() => documentAt(api, serverUrl))
    )
  )
