/** Turning an OpenAPI document into the one that is published, object by object. */
import { isJsonObject, type JsonObject } from "../../model.ts"
import type { Allowance } from "./allowance.ts"
import { type Field, fieldOf, type Kind, kindIn } from "./openapi-grammar.ts"

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
interface Rewriting {
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
