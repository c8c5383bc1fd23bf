/**
 * Schemas for the fields of request bodies. Each refuses with the one sentence of its row in the contract.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isJsonObject, type JsonObject } from "../model.ts"

/** A field that must be there. `message` answers its absence; what `schema` itself refuses is its own to say. */
export const required = <A, I, R>(schema: Schema.Schema<A, I, R>, message: string) =>
  Schema.propertySignature(schema).annotations({ missingMessage: () => message })

/** `schema` with one sentence for whatever it refuses. */
export const refusing = <A, I, R>(schema: Schema.Schema<A, I, R>, message: string): Schema.Schema<A, I, R> =>
  schema.annotations({ message: () => ({ message, override: true }) })

/** Levels of nesting that are stored; an object directly in a field is one level. */
export const maxNesting = 32

export const unstorableText = (field: string) => `${field} must not contain U+0000 or lone surrogates`

export const unstorableJson = (field: string) =>
  `${field} must not contain U+0000, lone surrogates, infinite numbers or more than ${maxNesting} levels`

/** Whether Postgres can hold the string: it has no place for U+0000, and UTF-8 none for a lone surrogate. */
export const isStorableText = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed()

/** Whether the value, that many levels below the field, can be stored. Never calls itself deeper than the levels that are allowed. */
const isStorableAt = (value: unknown, level: number): boolean => {
  if (typeof value === "string") return isStorableText(value)
  // JSON reads 1e400 as Infinity, and writes that as null.
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object" || value === null) return true
  if (level === maxNesting) return false
  // By loops: a body may hold some hundred thousand values, and everybody waits while they are looked at.
  if (Array.isArray(value)) {
    for (const item of value) if (!isStorableAt(item, level + 1)) return false
    return true
  }
  for (const key of Object.keys(value)) {
    if (!(isStorableText(key) && isStorableAt(Reflect.get(value, key), level + 1))) return false
  }
  return true
}

/** Whether Postgres can hold the value as jsonb and give it back unchanged. */
export const isStorableJson = (value: unknown): boolean => isStorableAt(value, 0)

/** Characters of a number as Postgres writes it: all its digits, where JavaScript may write an exponent. */
const numberSize = (value: number): number => {
  const written = String(value)
  const exponent = /e([+-]\d+)$/.exec(written)?.[1]
  return written.length + (exponent === undefined ? 0 : Math.abs(Number(exponent)))
}

/**
 * Bytes of a storable value as compact JSON, with numbers written out: what a body says in five bytes,
 * `1e308`, comes back from the database in 309.
 */
export const jsonSize = (value: unknown): number => {
  let extra = 0
  const text = JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === "number") extra += numberSize(inner) - String(inner).length
    return inner
  })
  return Buffer.byteLength(text) + extra
}

interface TextOptions {
  readonly field: string
  /** Answered for anything that is no string, and for one that is empty once trimmed. */
  readonly message: string
  readonly maxLength: number
  readonly tooLong: string
}

/** A string that is trimmed and must then not be empty. Lengths are in UTF-16 code units. */
export const trimmedText = (options: TextOptions) =>
  Schema.transform(refusing(Schema.String, options.message), Schema.String, {
    strict: true,
    decode: (text) => text.trim(),
    encode: (text) => text
  }).pipe(
    Schema.filter((text) => text !== "", { message: () => options.message }),
    Schema.filter((text) => text.length <= options.maxLength, { message: () => options.tooLong }),
    Schema.filter(isStorableText, { message: () => unstorableText(options.field) })
  )

const objectJsonSchema = { type: "object", additionalProperties: true }

/** A JSON object that can be stored. */
export const storableObject = (field: string, message: string): Schema.Schema<JsonObject> =>
  Schema.declare(isJsonObject, {
    jsonSchema: objectJsonSchema,
    message: () => ({ message, override: true })
  }).pipe(
    Schema.filter(isStorableJson, { jsonSchema: objectJsonSchema, message: () => unstorableJson(field) })
  )

/** Any JSON value that can be stored. */
export const storableValue = (field: string): Schema.Schema<unknown> =>
  Schema.Unknown.pipe(Schema.filter(isStorableJson, { jsonSchema: {}, message: () => unstorableJson(field) }))

/**
 * Optional, without the union with `undefined` that `Schema.optional` makes: for a value it refuses the
 * parser would write out the value to say that it is not `undefined` either, and overflow on a deep one.
 */
export const optional = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.optionalWith(schema, { exact: true })

/** With a message of its own, for the same reason; it is never the first and so never answered. */
const Null = Schema.Null.annotations({ message: () => "must be null" })

/** Optional and null alike: the field as it was given, or undefined. */
export const optionalNullable = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.optionalToOptional(Schema.Union(schema, Null), Schema.typeSchema(schema), {
    decode: Option.filter((value) => value !== null),
    encode: (value) => value
  })

/** An id in a path. `what` says of what, such as `the session`. */
export const idOf = (what: string) => Schema.String.annotations({ description: `The id of ${what}.` })

/** `true` or `false` in a query. */
export const trueOrFalse = (message: string, description: string) =>
  refusing(Schema.BooleanFromString.annotations({ jsonSchema: { type: "boolean", description } }), message)

/** A whole number in a query. The pattern, since a string is also read as a number when it says `0x10` or ` 5`. */
export const wholeNumber = (least: number, most: number, message: string, description: string) =>
  refusing(
    Schema.compose(
      Schema.String.pipe(Schema.pattern(/^\d+$/)),
      Schema.NumberFromString.pipe(Schema.int(), Schema.between(least, most))
    ).annotations({ jsonSchema: { type: "integer", minimum: least, maximum: most, description } }),
    message
  )

/** The body of a POST that needs none. It is still taken in by the rules of `http/body`. */
export const NoFields = Schema.Struct({}).annotations({ identifier: "NoFields" })
