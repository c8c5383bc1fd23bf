/** Writes JSON schemas as TypeScript types. */
import { type Json, object } from "../http/contract/openapi-json.ts"

const reference = "#/components/schemas/"

/** A comment above a declaration, or nothing. */
export const comment = (text: unknown, indent = ""): string => {
  if (typeof text !== "string" || text.trim() === "") return ""
  const lines = text.trim().replaceAll("*/", "*\\/").split("\n")
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  const middle = lines.map((line) => `${indent} * ${line}`.trimEnd())
  return [`${indent}/**`, ...middle, `${indent} */`, ""].join("\n")
}

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

interface Style {
  /** Whether callers make such values. They may then write undefined for absence, and arrays that must not change. */
  readonly input: boolean
  readonly indent: string
}

export const field = (
  name: string,
  schema: Json,
  required: boolean,
  description: unknown,
  style: Style
): string => {
  const type = typeOf(schema, style)
  const absent = required ? "" : "?"
  const undefinable = !required && style.input ? " | undefined" : ""
  return `${comment(description, style.indent)}${style.indent}${key(name)}${absent}: ${type}${undefinable}\n`
}

const objectOf = (schema: Json, style: Style): string => {
  const properties = Object.entries(object(schema.properties))
  const required = Array.isArray(schema.required) ? schema.required : []
  const more = schema.additionalProperties
  if (properties.length === 0)
    return `{ [key: string]: ${typeof more === "object" && more !== null ? typeOf(object(more), style) : "unknown"} }`
  if (more !== undefined) throw new Error("A type has either known fields or others, not both")
  const inner = { ...style, indent: `${style.indent}  ` }
  const written = properties.map(([name, value]) =>
    field(name, object(value), required.includes(name), object(value).description, inner)
  )
  return `{\n${written.join("")}${style.indent}}`
}

/** The type of a schema. Throws if it has a keyword of which types know nothing. */
export const typeOf = (schema: Json, style: Style): string => {
  if (typeof schema.$ref === "string") return schema.$ref.replace(reference, "")
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  const parts = schema.anyOf ?? schema.allOf
  if (Array.isArray(parts))
    return [...new Set(parts.map((part) => typeOf(object(part), style)))].join(
      schema.anyOf === undefined ? " & " : " | "
    )
  switch (schema.type) {
    case "array":
      return `${style.input ? "ReadonlyArray" : "Array"}<${typeOf(object(schema.items), style)}>`
    case "object":
      return objectOf(schema, style)
    case "integer":
    case "number":
      return "number"
    case "boolean":
    case "null":
    case "string":
      return schema.type
    case undefined:
      if (Object.keys(schema).every((word) => word === "description")) return "unknown"
  }
  throw new Error(`The client does not know the type of ${JSON.stringify(schema)}`)
}

/** The declaration of a named schema. */
export const declarationOf = (name: string, schema: Json, input: boolean): string => {
  const type = typeOf(schema, { input, indent: "" })
  const isFields = schema.type === "object" && Object.keys(object(schema.properties)).length > 0
  const head = comment(schema.description)
  return isFields ? `${head}export interface ${name} ${type}\n` : `${head}export type ${name} = ${type}\n`
}

/** The names of the schemas to which a value refers itself. */
export const namedIn = (value: unknown): ReadonlyArray<string> =>
  [...JSON.stringify(value ?? null).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name = ""]) => name
  )

/** The names of the schemas to which a value refers, also by others. */
export const reachable = (value: unknown, schemas: Json, found = new Set<string>()): Set<string> => {
  for (const name of namedIn(value)) {
    if (found.has(name)) continue
    found.add(name)
    reachable(schemas[name], schemas, found)
  }
  return found
}
