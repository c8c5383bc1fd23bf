/** Turns an OpenAPI document into its published form, object by object. */
import { isJsonObject, type JsonObject } from "../../shared/schemas.ts"
import type { Allowance } from "./allowance.ts"
import { type Field, fieldOf, type Kind, kindIn } from "./openapi-grammar.ts"

/** Extensions that stay private to the publisher. */
const isInternal = (name: string) => name.startsWith("x-internal-")

/**
 * Names on which tools fail, wherever they stand and whatever they name: tools follow a reference, require a unique identifier, and find
 * the others in every JavaScript object. A single one breaks the whole description.
 */
const mistakenNames: ReadonlySet<string> = new Set([
  ...["$ref", "$id", "$anchor", "$dynamicAnchor"],
  ...["__proto__", "hasOwnProperty"]
])

export const isMistaken = (name: string): boolean => mistakenNames.has(name)

/** Whether an object in the data has such a name, at any depth. */
const hasMistaken = (data: unknown, steps: Allowance): boolean => {
  steps.take(1)
  if (Array.isArray(data)) return data.some((item) => hasMistaken(item, steps))
  if (!isJsonObject(data)) return false
  const entries = Object.entries(data)
  steps.take(entries.length)
  return entries.some(([name, item]) => isMistaken(name) || hasMistaken(item, steps))
}

/** Lists an object's omitted members; those of a map as `<field>/<name>`. */
const omittedField = "x-doorlock-omitted"

interface Rewriting {
  /** Transforms every key and string, except the names that `change` replaces: those of paths, webhooks and components. */
  readonly text: (own: string) => string
  /** Transforms an object of the specification after its inner objects; also gets the original. */
  readonly change: (kind: Kind, node: JsonObject, original: JsonObject) => JsonObject
  readonly steps: Allowance
}

/** Transforms every string in the data, including keys. Keys that become equal collapse into one: the last. */
const withTexts = (value: unknown, how: Rewriting): unknown => {
  how.steps.take(1)
  if (typeof value === "string") return how.text(value)
  if (Array.isArray(value)) return value.map((item) => withTexts(item, how))
  if (!isJsonObject(value)) return value
  // Not by assignment, because a key may be `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [how.text(name), withTexts(item, how)])
  )
}

/**
 * Transforms every object of the specification in the document, inner ones first. Everything else is data: examples, defaults, extensions.
 * Data has no references or identifiers, but tools read some as such, and may follow them over the network. So a field with such data is
 * omitted, and so are extensions that begin with `x-internal-`. A member with a name on which tools fail is omitted too. The enclosing
 * object then lists it, unless it is a callback, in which every field is an expression.
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
        // `change` sets the reference.
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
