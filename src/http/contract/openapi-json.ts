/** The framework's JSON of schemas, made into what this description says. */

export type Json = { readonly [key: string]: unknown }

/** The object's own copy; an empty one of what is none. */
export const object = (value: unknown): Json =>
  typeof value === "object" && value !== null ? { ...value } : {}

/** Titles and descriptions of the framework's own. Ours begin with a capital letter, or with what they name in backticks. */
const generatedTitle = /^(?:[a-z]+\(.*\)|int|Int|NonEmptyString|nonEmptyString|unknown)$/i
const generatedDescription = /^an? /

/** Ids are UUIDs on every route, and are named like this. */
export const isIdName = (name: string): boolean => /^id$|_id$|Id$/.test(name)

/** With the format of ids. */
export const asId = (schema: Json): Json => {
  if (schema.type === "string") return { ...schema, format: "uuid" }
  return Array.isArray(schema.anyOf)
    ? { ...schema, anyOf: schema.anyOf.map((one) => asId(object(one))) }
    : schema
}

/**
 * A field of a body. A default is told in words: generators take a field that has one for a field that is always there, and then
 * ask for it in requests, too.
 */
const field = (name: string, { default: given, ...schema }: Json): Json => {
  const told = isIdName(name) ? asId(schema) : schema
  if (given === undefined) return told
  const description = `${schema.description ?? ""} By default ${JSON.stringify(given)}.`.trim()
  return { ...told, description }
}

const fields = (properties: Json): Json =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, field(name, object(schema))]))

/**
 * The framework's schemas without what it adds of its own: names of filters as titles, identifiers that are no addresses, and the
 * claim that further properties are refused (they are ignored). An object without known fields is said to hold any.
 */
const tidySchema = (schema: Json): Json => {
  const { $id, additionalProperties, ...known } = schema
  const rest: Json = Object.fromEntries(
    Object.entries(known).filter(([key, value]) => {
      if (key === "required") return !(Array.isArray(value) && value.length === 0)
      if (key === "title") return !generatedTitle.test(String(value))
      return !(key === "description" && typeof value === "string" && generatedDescription.test(value))
    })
  )
  const properties = object(rest.properties)
  const isOpen = rest.type === "object" && Object.keys(properties).length === 0
  const more = additionalProperties === false ? undefined : additionalProperties
  return {
    ...rest,
    ...(isOpen
      ? { additionalProperties: more ?? true }
      : more === undefined
        ? {}
        : { additionalProperties: more }),
    ...(rest.properties === undefined ? {} : { properties: fields(properties) })
  }
}

/** Schemas of the framework that are numbers: written where they are referred to, with the bounds they have there. */
export const numbersOf = (schemas: Json): ReadonlyMap<string, Json> =>
  new Map(
    Object.entries(schemas).flatMap(([name, schema]) => {
      const { title, description, ...number } = object(schema)
      return number.type === "integer" || number.type === "number"
        ? [[`#/components/schemas/${name}`, number] as const]
        : []
    })
  )

/** All of a document, tidied. */
export const tidy = (value: unknown, numbers: ReadonlyMap<string, Json>): unknown => {
  if (Array.isArray(value)) return value.map((item) => tidy(item, numbers))
  if (typeof value !== "object" || value === null) return value
  const { $ref, ...beside } = object(value)
  const number = numbers.get(String($ref))
  const written = number === undefined ? object(value) : { ...number, ...beside }
  return tidySchema(
    Object.fromEntries(Object.entries(written).map(([key, inner]) => [key, tidy(inner, numbers)]))
  )
}
