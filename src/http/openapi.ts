/**
 * The OpenAPI 3.1 description, made from the contract: the framework's own description of paths, fields and
 * good answers, and in place of its errors the exact ones of the contract's rows.
 */
import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { bodyRejects, maxBodyBytes, tooManyBodies } from "./body.ts"
import { type Answers, errorBodySchema, fewFields } from "./contract.ts"
import {
  DashboardMember,
  DashboardOwner,
  DashboardSession,
  FileReader,
  SessionBearer,
  SessionCreator,
  SessionReader
} from "./credentials.ts"
import { respondWith } from "./document.ts"
import { contractOf, type DeclaredRoute } from "./reflection.ts"
import { ambiguous } from "./source.ts"

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

const securityOf: Readonly<Record<string, ReadonlyArray<Json>>> = {
  [DashboardSession.key]: byDashboard,
  [DashboardMember.key]: byDashboard,
  [DashboardOwner.key]: byDashboard,
  [SessionCreator.key]: byKey,
  [SessionReader.key]: [...byKey, ...byDashboard],
  [FileReader.key]: [...byKey, ...byDashboard],
  [SessionBearer.key]: [{ sessionBearer: [] }]
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

/** Every error of a route: its messages by status. */
const errorsOf = ({
  answers,
  failures,
  middleware,
  takesBody
}: DeclaredRoute): ReadonlyMap<number, ReadonlySet<string>> => {
  const messages = new Map<number, Set<string>>()
  const add = (status: number, message: string) =>
    messages.set(status, (messages.get(status) ?? new Set()).add(message))
  add(400, ambiguous)
  if (takesBody) for (const { message, status } of Object.values(bodyRejects)) add(status, message)
  if (takesBody && !middleware.some((key) => key in securityOf))
    add(tooManyBodies.status, tooManyBodies.message)
  for (const message of answers.rejects) add(400, message)
  for (const { message, status } of failures) add(status, message)
  add(500, answers.unexpected)
  return new Map([...messages].sort(([a], [b]) => a - b))
}

const errorResponses = (route: DeclaredRoute): Json =>
  Object.fromEntries(
    [...errorsOf(route)].map(([status, messages]) => [
      String(status),
      {
        description: reasons[status] ?? "An error",
        ...(status === 429
          ? { headers: { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } } }
          : undefined),
        content: {
          "application/json": {
            schema: errorBodySchema(
              route.answers.form,
              [...messages],
              status === 400 ? route.answers.rejectPatterns : []
            )
          }
        }
      }
    ])
  )

const generated = /^(?:[a-z]+\(.*\)|int|Int|NonEmptyString|nonEmptyString)$/i

/**
 * The framework's schemas without what it adds of its own: names of filters as titles, and the claim that
 * further properties are refused (they are ignored).
 */
const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value)
  const isGenerated = entries.some(([key, inner]) => key === "title" && generated.test(String(inner)))
  return Object.fromEntries(
    entries
      .filter(([key, inner]) => {
        if (key === "additionalProperties") return inner !== false
        return !(isGenerated && (key === "title" || key === "description"))
      })
      .map(([key, inner]) => [key, tidy(inner)])
  )
}

const object = (value: unknown): Json => (typeof value === "object" && value !== null ? { ...value } : {})

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

const describeRoute = (route: DeclaredRoute, operation: Json): Json => {
  const { example, headers } = route.answers
  const good = Object.entries(object(operation.responses)).filter(([status]) => status.startsWith("2"))
  const security = route.middleware.flatMap((key) => securityOf[key] ?? [])
  return {
    ...operation,
    security,
    ...(example?.request === undefined || operation.requestBody === undefined
      ? undefined
      : { requestBody: withExample(operation.requestBody, example.request) }),
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
      ...errorResponses(route)
    }
  }
}

/** Components that only the framework's own errors refer to. */
const frameworkSchemas = new Set(["HttpApiDecodeError", "Issue", "PropertyKey"])

const pathOf = (pattern: string): string => pattern.replace(/:(\w+)/g, "{$1}")

/** The OpenAPI document of `api`. */
export const describe = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  { description, serverUrl, title, version }: Description
): Json => {
  const base = object(tidy(OpenApi.fromApi(api)))
  const paths: Record<string, Json> = {}
  for (const route of contractOf(api).routes) {
    const path = pathOf(route.pattern)
    const method = route.method.toLowerCase()
    const operation = object(object(object(base.paths)[path])[method])
    paths[path] = { ...paths[path], [method]: describeRoute(route, operation) }
  }
  const schemas = Object.entries(object(object(base.components).schemas))
  return {
    openapi: "3.1.0",
    info: {
      title,
      version,
      description,
      license: { name: "MIT", identifier: "MIT" }
    },
    servers: [{ url: serverUrl }],
    tags: base.tags,
    paths,
    components: {
      schemas: Object.fromEntries(schemas.filter(([name]) => !frameworkSchemas.has(name))),
      securitySchemes
    }
  }
}

export const about = {
  title: "doorlock",
  version: "0.1.0",
  description: [
    "Platform API keys and identity-verification (KYC) sessions.",
    'Every error is `{"error": "<message>"}`, and nothing more; captcha/verify adds `"ok": false`.',
    `Bodies, but those of uploads, are JSON of at most ${maxBodyBytes} bytes, and of ${fewFields} where a route without a credential takes only a few short texts; unknown fields are ignored. Numbers are read as IEEE 754 doubles. Times are ISO 8601 in UTC.`,
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
