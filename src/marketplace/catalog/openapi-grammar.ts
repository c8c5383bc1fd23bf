/**
 * Where each object of an OpenAPI document may stand: the specification's field tables (3.1.1, section 4.8, which include those of 3.0).
 * They distinguish a `$ref` from a `$ref` in an example, and a property named `servers` from an operation's servers.
 */
import { isJsonObject, type JsonObject } from "../../shared/schemas.ts"
import type { Allowance } from "./allowance.ts"

/** An object of the specification. The publisher calls callbacks and webhooks, not through the gateway. */
export type Kind =
  | "document"
  | "components"
  | "tag"
  | "pathItem"
  | "operation"
  | "callbackItem"
  | "callbackOperation"
  | "parameter"
  | "header"
  | "requestBody"
  | "mediaType"
  | "encoding"
  | "response"
  | "callback"
  | "example"
  | "link"
  | "schema"

/** One object, a list, a map by name, or a map that may also contain extensions (`x-`). */
export type Field =
  | { readonly one: Kind }
  | { readonly list: Kind }
  | { readonly map: Kind }
  | { readonly patterned: Kind }

const one = (kind: Kind): Field => ({ one: kind })
const list = (kind: Kind): Field => ({ list: kind })
const map = (kind: Kind): Field => ({ map: kind })
const patterned = (kind: Kind): Field => ({ patterned: kind })

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const

type Fields = Readonly<Record<string, Field>>

const pathItem = (operation: Kind): Fields => ({
  ...Object.fromEntries(methods.map((method) => [method, one(operation)])),
  parameters: list("parameter")
})

const operation: Fields = {
  parameters: list("parameter"),
  requestBody: one("requestBody"),
  responses: patterned("response"),
  callbacks: map("callback")
}

const described: Fields = { schema: one("schema"), examples: map("example"), content: map("mediaType") }

const fieldsOf: Readonly<Record<Kind, Fields>> = {
  document: {
    paths: patterned("pathItem"),
    webhooks: map("callbackItem"),
    components: one("components"),
    tags: list("tag")
  },
  components: {
    schemas: map("schema"),
    responses: map("response"),
    parameters: map("parameter"),
    examples: map("example"),
    requestBodies: map("requestBody"),
    headers: map("header"),
    links: map("link"),
    callbacks: map("callback"),
    pathItems: map("pathItem")
  },
  tag: {},
  pathItem: pathItem("operation"),
  operation,
  callbackItem: pathItem("callbackOperation"),
  callbackOperation: operation,
  parameter: described,
  // A header is described like a parameter, but has no name of its own.
  header: described,
  requestBody: { content: map("mediaType") },
  mediaType: { schema: one("schema"), examples: map("example"), encoding: map("encoding") },
  encoding: { headers: map("header") },
  response: { headers: map("header"), content: map("mediaType"), links: map("link") },
  callback: {},
  example: {},
  link: {},
  schema: {
    ...Object.fromEntries(
      ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"].map((name) => [
        name,
        map("schema")
      ])
    ),
    ...Object.fromEntries(["allOf", "anyOf", "oneOf", "prefixItems"].map((name) => [name, list("schema")])),
    ...Object.fromEntries(
      ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"]
        .concat("unevaluatedItems", "unevaluatedProperties", "contentSchema")
        .map((name) => [name, one("schema")])
    )
  }
}

/** The sections of `components` in an export, in their order. */
export const componentSections = Object.keys(fieldsOf.components)

const isExtension = (name: string) => name.startsWith("x-")

/** What a field of an object of this kind holds; undefined for data. */
export const fieldOf = (kind: Kind, name: string): Field | undefined => {
  // Every field of a callback is an expression, except `$ref` and extensions.
  if (kind === "callback") return isExtension(name) || name === "$ref" ? undefined : one("callbackItem")
  return Object.hasOwn(fieldsOf[kind], name) ? fieldsOf[kind][name] : undefined
}

/** A list index in a pointer (RFC 6901, section 4): not `length`, and no leading zeros. */
const isIndex = (key: string) => /^(?:0|[1-9]\d*)$/.test(key)

/** Undefined for an extension among patterned fields, and for a key that is not a list index. */
export const kindIn = (field: Exclude<Field, { readonly one: Kind }>, key: string): Kind | undefined => {
  if ("list" in field) return isIndex(key) ? field.list : undefined
  if ("map" in field) return field.map
  return isExtension(key) ? undefined : field.patterned
}

/** The kind of an object in a document, by its path; undefined for data, and for a container of objects. */
export const kindAt = (segments: ReadonlyArray<string>): Kind | undefined => {
  let kind: Kind = "document"
  let field: Field | undefined
  for (const segment of segments) {
    if (field === undefined) {
      field = fieldOf(kind, segment)
      if (field === undefined) return undefined
      if (!("one" in field)) continue
      kind = field.one
    } else {
      const inner: Kind | undefined = "one" in field ? undefined : kindIn(field, segment)
      if (inner === undefined) return undefined
      kind = inner
    }
    field = undefined
  }
  return field === undefined ? kind : undefined
}

export type Path = ReadonlyArray<string | number>

/** Calls `visit` with every object of the specification in `value`, outer ones first. */
export const walk = (
  kind: Kind,
  value: unknown,
  visit: (kind: Kind, node: JsonObject, path: Path) => void,
  steps: Allowance,
  path: Path = []
): void => {
  if (!isJsonObject(value)) return
  visit(kind, value, path)
  const entries = Object.entries(value)
  steps.take(1 + entries.length)
  for (const [name, inner] of entries) {
    const field = fieldOf(kind, name)
    if (field === undefined) continue
    const at = [...path, name]
    if ("one" in field) walk(field.one, inner, visit, steps, at)
    else if ("list" in field) {
      if (!Array.isArray(inner)) continue
      steps.take(inner.length)
      for (const [index, item] of inner.entries()) walk(field.list, item, visit, steps, [...at, index])
    } else if (isJsonObject(inner)) {
      const named = Object.entries(inner)
      steps.take(named.length)
      for (const [key, item] of named) {
        const innerKind = kindIn(field, key)
        if (innerKind !== undefined) walk(innerKind, item, visit, steps, [...at, key])
      }
    }
  }
}
