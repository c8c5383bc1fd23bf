/** The OpenAPI 3.1 document: the framework's description, with the errors of the contract's rows. */
import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import type { RouteMetadata } from "./error-responses.ts"
import type { Credential } from "./guard.ts"
import { errorResponses, errorSchemas, type SharedResponses } from "./openapi-errors.ts"
import { asId, isIdName, type Json, numbersOf, object, tidy } from "./openapi-json.ts"
import { describeWebhooks, webhookParameters, webhooksOf } from "./openapi-webhooks.ts"
import { contractOf, type DeclaredRoute } from "./reflection.ts"

const withExample = (value: unknown, example: unknown): Json => {
  const content = object(object(value).content)
  if (content["application/json"] === undefined) return object(value)
  const json = { ...object(content["application/json"]), example }
  return { ...object(value), content: { ...content, "application/json": json } }
}

const withHeaders = (value: Json, headers: RouteMetadata["headers"]): Json => {
  const described = Object.entries(headers).map(([name, header]) => [
    name,
    { ...header, schema: { type: "string" } }
  ])
  return described.length === 0 ? value : { ...value, headers: Object.fromEntries(described) }
}

/** Described once: the framework copies the schema's description, unchanged, beside it. */
const asParameter = (value: unknown): Json => {
  const { description: _, schema: given, ...parameter } = object(value)
  const { description, ...schema } = object(given)
  return {
    ...parameter,
    ...(description === undefined ? {} : { description }),
    schema: isIdName(String(parameter.name)) ? asId(schema) : schema
  }
}

/** The route's body; nothing if the body has no fields. */
const bodyOf = ({ metadata, body }: DeclaredRoute, requestBody: unknown): Json => {
  if (requestBody === undefined || body === "none") return {}
  const { example } = metadata
  const described =
    example?.request === undefined ? object(requestBody) : withExample(requestBody, example.request)
  return { requestBody: { ...described, required: body === "required" } }
}

const describeRoute = (route: DeclaredRoute, operation: Json, shared: SharedResponses): Json => {
  const { metadata, guards } = route
  const { caller, example, headers } = metadata
  const { description, requestBody, ...rest } = operation
  const parameters = Array.isArray(operation.parameters) ? operation.parameters.map(asParameter) : []
  const good = Object.entries(object(operation.responses)).filter(([status]) => status.startsWith("2"))
  return {
    ...rest,
    ...(parameters.length === 0 ? {} : { parameters }),
    security: guards.flatMap(({ credentials }) =>
      credentials.flatMap((credential) => Object.keys(credential).map((scheme) => ({ [scheme]: [] })))
    ),
    description: [description, caller, ...guards.map(({ who }) => who)]
      .filter((sentence) => sentence !== undefined)
      .join("\n\n"),
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

/** Components that only the framework's errors refer to, and the body without fields. */
const leftOut = new Set(["HttpApiDecodeError", "Issue", "PropertyKey", "NoFields"])

const pathOf = (pattern: string): string => pattern.replace(/:(\w+)/g, "{$1}")

const securitySchemesOf = (routes: ReadonlyArray<DeclaredRoute>): Json => {
  const credentials = new Set(routes.flatMap(({ guards }) => guards.flatMap((guard) => guard.credentials)))
  const nameOf = (credential: Credential) => Object.keys(credential)[0] ?? ""
  const inOrder = [...credentials].sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1))
  return Object.assign({}, ...inOrder)
}

export const describe = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  serverUrl: string
): Json => {
  const webhooks = webhooksOf(api.annotations)
  const bodies = Object.values(webhooks).map(({ schema }) => schema)
  const given = object(OpenApi.fromApi(api.annotate(HttpApi.AdditionalSchemas, bodies)))
  const { description, title, version } = object(given.info)
  const numbers = numbersOf(object(object(given.components).schemas))
  const base = object(tidy(given, numbers))
  const paths: Record<string, Json> = {}
  const shared: SharedResponses = new Map()
  const { routes } = contractOf(api)
  for (const route of routes) {
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
    tags: Array.isArray(base.tags) ? base.tags : [],
    paths,
    webhooks: describeWebhooks(webhooks),
    components: {
      schemas: {
        ...Object.fromEntries(
          schemas.filter(([name]) => !leftOut.has(name) && !numbers.has(`#/components/schemas/${name}`))
        ),
        ...errorSchemas
      },
      responses: Object.fromEntries(shared),
      parameters: webhookParameters,
      securitySchemes: securitySchemesOf(routes)
    }
  }
}
