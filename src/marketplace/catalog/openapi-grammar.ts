/**
 * Where each object of an OpenAPI document may stand: the specification's field tables (3.1.1, section 4.8, which include those of 3.0).
 * They distinguish a `$ref` from a `$ref` in an example, and a property named `servers` from an operation's servers.
 */
import { isJsonObject, type JsonObject } from "../../shared/json.ts"

const pathItem = (operation: string) =>
  `get put post delete options head patch trace = ${operation}, parameters * parameter`

const operation =
  "parameters * parameter, requestBody = requestBody, responses + response, callbacks * callback"

const described = "schema = schema, examples * example, content * mediaType"

/**
 * The fields that hold objects, by the kind of object that has them: one object (`=`), a list or map (`*`), or a map that may also contain
 * extensions (`+`, `x-`). The publisher calls callbacks and webhooks, not through the gateway.
 */
const tables = {
  document: "paths + pathItem, webhooks * callbackItem, components = components, tags * tag",
  components:
    "schemas * schema, responses * response, parameters * parameter, examples * example, requestBodies * requestBody, " +
    "headers * header, links * link, callbacks * callback, pathItems * pathItem",
  tag: "",
  pathItem: pathItem("operation"),
  operation,
  callbackItem: pathItem("callbackOperation"),
  callbackOperation: operation,
  parameter: described,
  header: described,
  requestBody: "content * mediaType",
  mediaType: "schema = schema, examples * example, encoding * encoding",
  encoding: "headers * header",
  response: "headers * header, content * mediaType, links * link",
  callback: "",
  example: "",
  link: "",
  schema:
    "properties patternProperties dependentSchemas $defs definitions allOf anyOf oneOf prefixItems * schema, " +
    "items additionalProperties not if then else contains propertyNames = schema, " +
    "unevaluatedItems unevaluatedProperties contentSchema = schema"
} as const

/** An object of the specification. */
export type Kind = keyof typeof tables

/** What a field holds. */
export interface Field {
  readonly kind: Kind
  readonly holds: string
}

const isKind = (name: string): name is Kind => Object.hasOwn(tables, name)

const fieldsIn = (table: string): ReadonlyMap<string, Field> =>
  new Map(
    table.split(", ").flatMap((row) => {
      const [, names = "", holds = "", kind = ""] = /^(.+) ([=*+]) (\w+)$/.exec(row) ?? []
      return isKind(kind) ? names.split(" ").map((name) => [name, { kind, holds }] as const) : []
    })
  )

const fieldsOf = new Map(Object.entries(tables).map(([kind, table]) => [kind, fieldsIn(table)]))

/** The sections of `components` in an export, in their order. */
export const componentSections = [...fieldsIn(tables.components).keys()]

const isExtension = (name: string) => name.startsWith("x-")

/** What a field of an object of this kind holds; undefined for data. */
export const fieldOf = (kind: Kind, name: string): Field | undefined => {
  // Every field of a callback is an expression, except `$ref` and extensions.
  if (kind !== "callback") return fieldsOf.get(kind)?.get(name)
  return isExtension(name) || name === "$ref" ? undefined : { kind: "callbackItem", holds: "=" }
}

/** Whether a member of a field's list or map is data. */
export const isDataIn = ({ holds }: Field, key: string): boolean => holds === "+" && isExtension(key)

/** The kind of an object in a document, by its path; undefined for data, and for a container of objects. */
export const kindAt = (segments: ReadonlyArray<string>): Kind | undefined => {
  let kind: Kind = "document"
  let within: Field | undefined
  for (const segment of segments) {
    const field: Field | undefined = within ?? fieldOf(kind, segment)
    if (field === undefined || (within !== undefined && isDataIn(within, segment))) return undefined
    within = within === undefined && field.holds !== "=" ? field : undefined
    kind = field.kind
  }
  return within === undefined ? kind : undefined
}

export type Path = ReadonlyArray<string>

/** Every object of the specification in `value`, outer ones first. */
export function* objectsIn(
  kind: Kind,
  value: unknown,
  path: Path = []
): Generator<{ readonly kind: Kind; readonly node: JsonObject; readonly path: Path }> {
  if (!isJsonObject(value)) return
  yield { kind, node: value, path }
  for (const [name, inner] of Object.entries(value)) {
    const field = fieldOf(kind, name)
    if (field?.holds === "=") yield* objectsIn(field.kind, inner, [...path, name])
    else if (field !== undefined && typeof inner === "object" && inner !== null) {
      for (const [key, item] of Object.entries(inner)) {
        if (!isDataIn(field, key)) yield* objectsIn(field.kind, item, [...path, name, key])
      }
    }
  }
}
