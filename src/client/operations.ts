/** Reads the operations that the client has from the OpenAPI document. */
import { type Json, object } from "../http/contract/openapi-json.ts"
import { ambiguities, bodyRejects, serverRefusals } from "../http/contract/refusals.ts"
import { clientNameOf, functionNames, groupNames } from "./names.ts"

interface Parameter {
  readonly name: string
  readonly required: boolean
  readonly description: string | undefined
  readonly schema: Json
}

export interface Operation {
  readonly group: string
  readonly name: string
  readonly method: string
  /** With `:id` for a parameter. */
  readonly path: string
  readonly summary: string
  readonly description: string
  /** Of the contract's group. */
  readonly tag: string
  readonly ids: ReadonlyArray<string>
  readonly query: ReadonlyArray<Parameter>
  /** A JSON body, or a file if there is no schema. */
  readonly body: { readonly required: boolean; readonly schema: Json | undefined } | undefined
  readonly takesIdempotencyKey: boolean
  /** Whether only the token of a KYC session opens the route. */
  readonly needsSessionToken: boolean
  /** The result's schema; undefined if the result is not JSON. */
  readonly result: Json | undefined
  /** For a list in pages: how the next page is asked for, and the field that has the items. */
  readonly paging: { readonly kind: "after" | "cursor" | "offset"; readonly list: string } | undefined
  /** The codes of its errors, without `commonCodes`. */
  readonly codes: ReadonlyArray<string>
}

/** The codes of errors that any route may have. */
export const commonCodes: ReadonlyArray<string> = [ambiguities, bodyRejects, serverRefusals]
  .flatMap((refusals) => Object.values(refusals).map(({ code }) => code))
  .sort()

const array = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.map(object) : [])

/** The value, or the one that it refers to. */
const resolved = (document: Json, value: unknown): Json => {
  const { $ref, ...own } = object(value)
  if (typeof $ref !== "string") return own
  return object(
    $ref
      .split("/")
      .slice(1)
      .reduce<unknown>((inner, key) => object(inner)[key], document)
  )
}

const codesOf = (document: Json, responses: Json): ReadonlyArray<string> =>
  [
    ...new Set(
      Object.entries(responses)
        .filter(([status]) => !status.startsWith("2"))
        .flatMap(([, response]) => {
          const content = object(object(resolved(document, response).content)["application/json"])
          return Object.keys(object(content.examples))
        })
    )
  ]
    .filter((code) => !commonCodes.includes(code))
    .sort()

const pagingOf = (query: ReadonlyArray<Parameter>, result: Json): Operation["paging"] => {
  const kind = (["cursor", "after", "offset"] as const).find((name) =>
    query.some((parameter) => parameter.name === name)
  )
  const fields = Object.entries(object(result.properties))
  const lists = fields.filter(([, schema]) => object(schema).type === "array").map(([name]) => name)
  const [list] = lists
  const counts = kind === "offset" ? ["offset", "total"] : ["next_cursor"]
  return kind !== undefined &&
    list !== undefined &&
    lists.length === 1 &&
    counts.every((name) => name in object(result.properties))
    ? { kind, list }
    : undefined
}

const operationOf = (document: Json, path: string, method: string, operation: Json): Operation => {
  const id = String(operation.operationId)
  const parameters = array(operation.parameters)
  const placed = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const headers = placed("header").map(({ name }) => name)
  if (headers.some((name) => name !== "idempotency-key"))
    throw new Error(`${id}: the client does not know the headers ${headers.join(", ")}`)
  const query = placed("query").map(({ description, name, required, schema }) => ({
    name: String(name),
    required: required === true,
    description: typeof description === "string" ? description : undefined,
    schema: object(schema)
  }))
  const { content: bodies, required } = object(operation.requestBody)
  const body =
    bodies === undefined
      ? undefined
      : {
          required: required === true,
          schema:
            object(bodies)["application/json"] === undefined
              ? undefined
              : object(object(object(bodies)["application/json"]).schema)
        }
  if (body !== undefined && query.length > 0)
    throw new Error(`${id}: a function of the client takes a query or a body, not both`)
  const responses = object(operation.responses)
  const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"))
  const [success] = successes
  if (success === undefined || successes.length > 1) throw new Error(`${id}: has to have one success`)
  const json = object(object(success[1]).content)["application/json"]
  const result = json === undefined ? undefined : object(object(json).schema)
  const schemes = array(operation.security).flatMap((scheme) => Object.keys(scheme))
  return {
    ...clientNameOf(id),
    method: method.toUpperCase(),
    path: path.replace(/\{(\w+)\}/g, ":$1"),
    summary: String(operation.summary),
    description: String(operation.description),
    tag: String(Array.isArray(operation.tags) ? operation.tags[0] : ""),
    ids: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
    query,
    body,
    takesIdempotencyKey: headers.length > 0,
    needsSessionToken: schemes.length === 1 && schemes[0] === "sessionBearer",
    result,
    paging: result === undefined ? undefined : pagingOf(query, result),
    codes: codesOf(document, responses)
  }
}

/** Throws if two routes have one name, or if a row of the table of names is about no route. */
export const operationsOf = (document: Json): ReadonlyArray<Operation> => {
  const declared = Object.entries(object(document.paths)).flatMap(([path, methods]) =>
    Object.entries(object(methods)).map(([method, operation]) => ({
      path,
      method,
      operation: object(operation)
    }))
  )
  const ids = declared.map(({ operation }) => String(operation.operationId))
  const known = new Set(ids.flatMap((id) => [id, id.split(".")[0]]))
  for (const name of Object.keys({ ...groupNames, ...functionNames }))
    if (!known.has(name)) throw new Error(`The client has a name for ${name}, which the contract lacks`)
  const operations = declared.map(({ method, operation, path }) =>
    operationOf(document, path, method, operation)
  )
  const names = operations.map(({ group, name }) => `${group}.${name}`)
  const twice = names.filter((name, at) => names.indexOf(name) !== at)
  if (twice.length > 0) throw new Error(`Several routes are called ${twice.join(", ")} in the client`)
  return operations
}
