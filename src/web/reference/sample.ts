import { at, type Json, list, number, object } from "../json.ts"
import { resolved } from "./document.ts"

/** Bounds for the examples of recursive schemas, which leave out the rest. */
const maxDepth = 6
const maxValues = 150

const texts: Readonly<Record<string, string>> = {
  date: "2026-11-20",
  "date-time": "2026-11-20T10:00:00Z",
  time: "10:00:00Z",
  email: "ada@example.com",
  uri: "https://example.com",
  uuid: "01a1f8d6-72c1-769b-b352-930a5f6722f1",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  hostname: "example.com"
}

const typeOf = (schema: Json): string => {
  const [first] = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== "null")
  if (typeof first === "string") return first
  if (schema.properties !== undefined) return "object"
  return schema.items === undefined ? "" : "array"
}

/** A generated example for a schema; undefined if the schema says nothing. */
export const sampleOf = (document: Json, described: unknown): unknown => {
  let left = maxValues

  const made = (value: unknown, depth: number, within: ReadonlyArray<string>): unknown => {
    left -= 1
    const { name, node: schema } = resolved(document, value)
    if (depth > maxDepth || left < 0 || (name !== undefined && within.includes(name))) return undefined
    const inside = name === undefined ? within : [...within, name]
    for (const given of [schema.const, schema.example, list(schema.examples)[0], schema.default]) {
      if (given !== undefined) return given
    }
    const [first] = list(schema.enum)
    if (first !== undefined) return first
    const parts = list(schema.allOf)
    if (parts.length > 0) {
      const whole = [...parts, { ...schema, allOf: [] }].map((part) => made(part, depth + 1, inside))
      return Object.fromEntries(whole.flatMap((part) => Object.entries(object(part))))
    }
    const [alternative] = [...list(schema.oneOf), ...list(schema.anyOf)]
    if (alternative !== undefined) return made(alternative, depth + 1, inside)
    switch (typeOf(schema)) {
      case "object": {
        const properties = object(schema.properties)
        return Object.fromEntries(
          Object.keys(properties).flatMap((name) => {
            const sample = made(at(properties, [name]), depth + 1, inside)
            return sample === undefined ? [] : [[name, sample]]
          })
        )
      }
      case "array": {
        const sample = made(schema.items, depth + 1, inside)
        return sample === undefined ? [] : [sample]
      }
      case "string":
        return (typeof schema.format === "string" ? at(texts, [schema.format]) : undefined) ?? "text"
      case "integer":
      case "number":
        return Math.min(
          number(schema.maximum) ?? Number.POSITIVE_INFINITY,
          Math.max(number(schema.minimum) ?? 1, 1)
        )
      case "boolean":
        return true
      default:
        return undefined
    }
  }

  return made(described, 0, [])
}
