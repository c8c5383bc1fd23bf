/**
 * Which object of an OpenAPI document stands where: the specification's field tables (3.1.1, section 4.8; those of 3.0 are
 * among them). By it a `$ref` is told from an example's `$ref`, and a property called `servers` from an operation's servers.
 */
import { isJsonObject, type JsonObject } from "../../model.ts"
import type { Allowance } from "./allowance.ts"

/** An object of the specification. What a callback or webhook holds is called by the publisher, not by way of the gateway. */
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

/** One of a kind, a list of them, a map of them by name, or the same among extensions (`x-`). */
type Field =
  | { readonly one: Kind }
  | { readonly list: Kind }
  | { readonly map: Kind }
  | { readonly patterned: Kind }

const one = (kind: Kind): Field => ({ one: kind })
const list = (kind: Kind): Field => ({ list: kind })
const map = (kind: Kind): Field => ({ map: kind })
const patterned = (kind: Kind): Field => ({ patterned: kind })

export const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const

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
  // A header is described as a parameter is, but has no name in itself.
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

/** The sections of `components` that an export has, in the order in which it has them. */
export const componentSections = Object.keys(fieldsOf.components)

const isExtension = (name: string) => name.startsWith("x-")

const fieldOf = (kind: Kind, name: string): Field | undefined => {
  // Every field of a callback is an expression, but `$ref` and extensions.
  if (kind === "callback") return isExtension(name) || name === "$ref" ? undefined : one("callbackItem")
  return Object.hasOwn(fieldsOf[kind], name) ? fieldsOf[kind][name] : undefined
}

/** An index of a list as a pointer has it (RFC 6901, section 4): not its `length`, and no zeros in front. */
const isIndex = (key: string) => /^(?:0|[1-9]\d*)$/.test(key)

/** The kind of what is in the field under the key; undefined for an extension among what has a pattern, and for no item of a list. */
const kindIn = (field: Exclude<Field, { readonly one: Kind }>, key: string): Kind | undefined => {
  if ("list" in field) return isIndex(key) ? field.list : undefined
  if ("map" in field) return field.map
  return isExtension(key) ? undefined : field.patterned
}

/** Of which kind an object of a document is, by the way to it; undefined for data, and for what only holds objects. */
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

/** Calls `visit` with every object of the specification in `value`, the outer ones first. */
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

/** Extensions that the publisher keeps for itself. */
const isInternal = (name: string) => name.startsWith("x-internal-")

/**
 * Names at which tools go wrong, wherever they are and whatever they name: a reference is followed, an identifier must be the only one
 * of its kind, and the others are what JavaScript looks up in every object. The whole description fails by one of them.
 */
const mistakenNames: ReadonlySet<string> = new Set([
  ...["$ref", "$id", "$anchor", "$dynamicAnchor"],
  ...["__proto__", "hasOwnProperty"]
])

/** Whether tools take such a name for something else. */
export const isMistaken = (name: string): boolean => mistakenNames.has(name)

/** Whether an object in the data, at any depth, has such a name. */
const hasMistaken = (data: unknown, steps: Allowance): boolean => {
  steps.take(1)
  if (Array.isArray(data)) return data.some((item) => hasMistaken(item, steps))
  if (!isJsonObject(data)) return false
  const entries = Object.entries(data)
  steps.take(entries.length)
  return entries.some(([name, item]) => isMistaken(name) || hasMistaken(item, steps))
}

/** Of an object of a description: its members that are left out, `<field>/<name>` for those of a map. */
const omittedField = "x-doorlock-omitted"

/** How a document becomes another one. */
export interface Rewriting {
  /** Of every key and string but the names of what `change` names anew: paths, webhooks and components. */
  readonly text: (own: string) => string
  /** Of an object of the specification whose inner ones have been changed, as it was originally. */
  readonly change: (kind: Kind, node: JsonObject, original: JsonObject) => JsonObject
  readonly steps: Allowance
}

/** The data with every string of it changed, keys too. Keys that become equal are one: the last. */
const withTexts = (value: unknown, how: Rewriting): unknown => {
  how.steps.take(1)
  if (typeof value === "string") return how.text(value)
  if (Array.isArray(value)) return value.map((item) => withTexts(item, how))
  if (!isJsonObject(value)) return value
  // Never by assignment: a key may be `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [how.text(name), withTexts(item, how)])
  )
}

/**
 * The document with every object of the specification changed, the inner ones first. What is no such object is data: examples,
 * defaults, extensions. Nothing in it is a reference or an identifier, but tools take it for one, and some follow it over the network: a
 * field with such data is left out, and so are extensions that begin with `x-internal-`. A member that has a name at which tools go
 * wrong is left out too, and the object around it says so, unless it is a callback, whose every field is an expression.
 */
export const rewrite = (kind: Kind, value: unknown, how: Rewriting): unknown => {
  const { change, steps, text } = how
  if (!isJsonObject(value)) return withTexts(value, how)
  const isNamedAnew = kind === "document" || kind === "components"
  const key = isNamedAnew ? (name: string) => name : text
  const omitted: Array<string> = []

  const inField = (field: Field, fieldName: string, inner: unknown): unknown => {
    if ("one" in field) return rewrite(field.one, inner, how)
    if ("list" in field) {
      return Array.isArray(inner)
        ? inner.map((item) => rewrite(field.list, item, how))
        : withTexts(inner, how)
    }
    if (!isJsonObject(inner)) return withTexts(inner, how)
    return Object.fromEntries(
      Object.entries(inner).flatMap(([name, item]) => {
        if (!isNamedAnew && isMistaken(name)) {
          omitted.push(`${fieldName}/${name}`)
          return []
        }
        const innerKind = kindIn(field, name)
        if (innerKind !== undefined) return [[key(name), rewrite(innerKind, item, how)]]
        return isInternal(name) || hasMistaken(item, steps) ? [] : [[key(name), withTexts(item, how)]]
      })
    )
  }

  const entries = Object.entries(value)
  steps.take(1 + entries.length)
  const inner = Object.fromEntries(
    entries.flatMap(([name, item]) => {
      if (isInternal(name)) return []
      if (isMistaken(name)) {
        // A reference is put in place by whoever changes the object.
        if (name !== "$ref") omitted.push(name)
        return []
      }
      const field = fieldOf(kind, name)
      if (field !== undefined) return [[text(name), inField(field, name, item)]]
      return hasMistaken(item, steps) ? [] : [[text(name), withTexts(item, how)]]
    })
  )
  const says = omitted.length > 0 && kind !== "callback"
  return change(kind, says ? { ...inner, [omittedField]: omitted } : inner, value)
}

/** The segments of a reference into the document itself (`#/...`, RFC 6901), or undefined when it is none. */
export const parsePointer = (reference: string): ReadonlyArray<string> | undefined => {
  if (!reference.startsWith("#/")) return undefined
  try {
    return reference
      .slice(2)
      .split("/")
      .map((segment) => decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~"))
  } catch {
    return undefined
  }
}

export const writePointer = (segments: ReadonlyArray<string>): string =>
  `#/${segments
    .map((segment) => encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1")))
    .join("/")}`
