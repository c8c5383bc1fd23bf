/** Makes the tools from the contract: their arguments are the fields of the routes, and a call is a request. */

import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { Context, Layer } from "effect"
import { errorHeader, undeclaredCode } from "../http/contract/error-code.ts"
import { guardOf } from "../http/contract/guard.ts"
import { describe } from "../http/contract/openapi.ts"
import { type Json, object } from "../http/contract/openapi-json.ts"
import { permits, withoutScope } from "../keys/scopes-model.ts"
import { describedTo, hintsOf, toolRows } from "./tools-model.ts"

/** Where an argument goes. */
interface Place {
  readonly in: "path" | "query" | "header" | "body"
  /** Its name there. */
  readonly name: string
}

export interface ContractTool {
  /** Without it, the route is public. */
  readonly scope: string | undefined
  /** As `tools/list` has it. */
  readonly described: Json
  readonly method: string
  /** For example `/api/kyc/sessions/{id}`. */
  readonly path: string
  readonly places: ReadonlyMap<string, Place>
}

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** `idempotency-key` as an argument is `idempotencyKey`. */
const argumentName = (name: string): string =>
  name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const reference = "#/components/schemas/"

/** Copies a schema, with the shared schemas that it refers to in `definitions`. */
const selfContained = (value: unknown, shared: Json, definitions: Record<string, unknown>): unknown => {
  if (Array.isArray(value)) return value.map((item) => selfContained(item, shared, definitions))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key !== "$ref" || typeof inner !== "string") return [key, selfContained(inner, shared, definitions)]
      const name = inner.slice(reference.length)
      if (!(name in definitions)) {
        definitions[name] = {}
        definitions[name] = selfContained(shared[name], shared, definitions)
      }
      return [key, `#/$defs/${name}`]
    })
  )
}

/** The route's parameters and body fields as one object. */
const argumentsOf = (operation: Json, shared: Json) => {
  const places = new Map<string, Place>()
  const properties: Record<string, unknown> = {}
  const required: Array<unknown> = []
  const definitions: Record<string, unknown> = {}
  for (const parameter of list(operation.parameters).map(object)) {
    const name = argumentName(String(parameter.name))
    places.set(name, { in: parameter.in as Place["in"], name: String(parameter.name) })
    const { description } = parameter
    properties[name] = {
      ...object(selfContained(parameter.schema, shared, definitions)),
      ...(description === undefined ? {} : { description })
    }
    if (parameter.required === true) required.push(name)
  }
  const { schema } = object(object(object(operation.requestBody).content)["application/json"])
  const given = object(schema)
  const body = typeof given.$ref === "string" ? object(shared[given.$ref.slice(reference.length)]) : given
  for (const [name, field] of Object.entries(object(body.properties))) {
    places.set(name, { in: "body", name })
    properties[name] = selfContained(field, shared, definitions)
  }
  required.push(...list(body.required))
  const inputSchema = {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
  }
  return { places, inputSchema }
}

type AnyApi = HttpApi.HttpApi<string, HttpApiGroup.HttpApiGroup.Any, unknown, unknown>

/** The contract without the groups of which no route is a tool: to describe all takes half a second. */
const partOf = (api: AnyApi): AnyApi => {
  const groups = new Set(Object.values(toolRows).map(({ route }) => route.split(".", 1)[0]))
  return Object.values(api.groups)
    .filter(({ identifier }) => groups.has(identifier))
    .reduce((part, group) => part.add(group), HttpApi.make(api.identifier) as unknown as AnyApi)
}

const make = (whole: AnyApi): ReadonlyMap<string, ContractTool> => {
  const api = partOf(whole)
  const routes = new Map<string, Pick<ContractTool, "method" | "path" | "scope">>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, middleware }) =>
      void routes.set(`${group.identifier}.${endpoint.name}`, {
        method: endpoint.method,
        path: endpoint.path.replace(/:(\w+)/g, "{$1}"),
        scope: [...middleware].flatMap((tag) => guardOf(tag)?.scope ?? [])[0]
      })
  })
  const document = describe(api, "")
  const shared = object(object(document.components).schemas)
  return new Map(
    Object.entries(toolRows).map(([name, row]) => {
      const route = routes.get(row.route)
      if (route === undefined) throw new Error(`The tool ${name} is for ${row.route}, which is no route`)
      const { method, path, scope } = route
      const operation = object(object(object(document.paths)[path])[method.toLowerCase()])
      const { inputSchema, places } = argumentsOf(operation, shared)
      const { title } = row
      const described = { name, title, description: describedTo(row), inputSchema, annotations: hintsOf(row) }
      return [name, { scope, described, method, path, places }]
    })
  )
}

/** Every tool by its name, made when it is first asked for: most processes never serve an agent. */
export class ContractTools extends Context.Tag("doorlock/mcp/ContractTools")<
  ContractTools,
  () => ReadonlyMap<string, ContractTool>
>() {}

export const layer = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): Layer.Layer<ContractTools> =>
  Layer.sync(ContractTools, () => {
    let made: ReadonlyMap<string, ContractTool> | undefined
    return () => {
      made ??= make(api as unknown as AnyApi)
      return made
    }
  })

/** A route would take `.` or `..` for a part of the path, and an empty id for another route. */
const anId = /^[\w-]+$/

/** As HTTP allows in a header; the route says what it accepts. */
const headerText = /^[\x20-\x7e]*$/

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/**
 * The request that a call means, or a sentence about the first argument that cannot be in a request. The route itself
 * checks everything else.
 *
 * @param headers the caller's credential
 */
export const requestOf = (
  { method, path, places }: ContractTool,
  given: Json,
  headers: Readonly<Record<string, string>>
): Request | string => {
  let target = path
  const query = new URLSearchParams()
  const sent = new Headers(headers)
  const body: Record<string, unknown> = {}
  const unknown = Object.keys(given).find((name) => !places.has(name))
  if (unknown !== undefined) {
    const known = [...places.keys()]
    return `There is no argument ${unknown}; ${known.length === 0 ? "there are none" : `known: ${known.join(", ")}`}.`
  }
  for (const [argument, place] of places) {
    const value = given[argument]
    if (place.in === "body") {
      if (value !== undefined) body[place.name] = value
    } else if (place.in === "path") {
      if (typeof value !== "string" || !anId.test(value))
        return `${argument} must be an identifier of letters, digits, - and _.`
      target = target.replace(`{${place.name}}`, value)
    } else if (value !== undefined && value !== null) {
      if (!isPlain(value)) return `${argument} must be a string, a number, true or false.`
      const text = String(value)
      if (place.in === "query") query.set(place.name, text)
      else if (headerText.test(text)) sent.set(place.name, text)
      else return `${argument} must consist of visible ASCII characters.`
    }
  }
  const url = `http://localhost${target}${query.size === 0 ? "" : `?${query}`}`
  if (method === "GET") return new Request(url, { headers: sent })
  sent.set("content-type", "application/json")
  return new Request(url, { method, headers: sent, body: JSON.stringify(body) })
}

/** The result of a tool, as MCP has it: as JSON, and the same as text for agents that read only text. */
export interface ToolResult {
  readonly [key: string]: unknown
  readonly content: ReadonlyArray<{ readonly type: "text"; readonly text: string }>
  readonly structuredContent?: Json
  readonly isError?: true
}

/** A failed call: the agent reads the sentence, and may try again with other arguments. */
export const failed = (sentence: string, details?: Json): ToolResult => ({
  content: [{ type: "text", text: sentence }],
  ...(details === undefined ? {} : { structuredContent: details }),
  isError: true
})

/** A failed call with the fields of a route's error. */
export const refused = (status: number, code: string, error: string): ToolResult =>
  failed(error, { error, status, code })

/** Whether a key with these scopes may call the tool. */
export const isOffered = ({ scope }: Pick<ContractTool, "scope">, scopes: ReadonlyArray<string>): boolean =>
  scope === undefined || permits(scopes, scope)

/** As a route refuses a key without the scope. */
export const refusedWithout = (scope: string): ToolResult =>
  refused(403, "scope-missing", withoutScope(scope))

/** Arguments that cannot be in a request. The code is that of a 400 without a code of its own. */
export const refusedArguments = (error: string): ToolResult => refused(400, undeclaredCode, error)

/** A route's response as the result of a tool: an error has its status and code. */
export const resultOf = async (response: Response): Promise<ToolResult> => {
  const text = await response.text()
  const value = object(JSON.parse(text))
  if (response.ok) return { content: [{ type: "text", text }], structuredContent: value }
  const retryAfter = response.headers.get("retry-after")
  return failed(String(value.error), {
    ...value,
    status: response.status,
    code: response.headers.get(errorHeader),
    ...(retryAfter === null ? {} : { retryAfterSeconds: Number(retryAfter) })
  })
}
