/**
 * Schemas for the fields of request bodies. Each refuses with the one sentence of its row in the contract.
 */
import { Option, Schema } from "effect"
import { readCursor } from "../../cursor.ts"
import { isJsonObject, type JsonObject, JsonText } from "../../model.ts"
import { hindranceOf, isStorableJson, isStorableText, maxNesting } from "../../shared/storable.ts"
import { asText, ObjectText } from "./object-text.ts"

/** A field that must be there. `message` answers its absence; what `schema` itself refuses is its own to say. */
export const required = <A, I, R>(schema: Schema.Schema<A, I, R>, message: string) =>
  Schema.propertySignature(schema).annotations({ missingMessage: () => message })

/** `schema` with one sentence for whatever it refuses. */
export const refusing = <A, I, R>(schema: Schema.Schema<A, I, R>, message: string): Schema.Schema<A, I, R> =>
  schema.annotations({ message: () => ({ message, override: true }) })

export const unstorableText = (field: string) => `${field} must not contain U+0000 or lone surrogates`

export const unstorableJson = (field: string) =>
  `${field} must not contain U+0000, lone surrogates, infinite numbers or more than ${maxNesting} levels`

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

export const unprintableName = (field: string) =>
  `${field} must not contain control characters or marks of text direction`

/** Characters by which a name breaks lines, or turns round how itself and what stands beside it are read. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** As `trimmedText`, for a name that other people are shown. */
export const nameText = (options: TextOptions) =>
  trimmedText(options).pipe(
    Schema.filter((text) => !unprintable.test(text), { message: () => unprintableName(options.field) })
  )

const objectJsonSchema = { type: "object", additionalProperties: true }

/** Bytes of a value as compact JSON, with numbers written out, at most; and what is answered to one that has more. */
interface Size {
  readonly most: number
  readonly tooLarge: string
}

/** The sentence for a value that is not stored. */
const refusalOf =
  (field: string, size: Size | undefined) =>
  (value: unknown): string | undefined => {
    const hindrance = hindranceOf(value, size?.most)
    if (hindrance === undefined) return undefined
    return hindrance === "too large" && size !== undefined ? size.tooLarge : unstorableJson(field)
  }

/** A JSON object that can be stored. */
export const storableObject = (field: string, message: string, size?: Size): Schema.Schema<JsonObject> =>
  Schema.declare(isJsonObject, {
    jsonSchema: objectJsonSchema,
    message: () => ({ message, override: true })
  }).pipe(Schema.filter(refusalOf(field, size), { jsonSchema: objectJsonSchema }))

/**
 * A JSON object that can be stored, wanted as text: of a large body it is one already (`http/runtime/body-apart`), so that the objects in it are
 * never made in the thread that answers requests.
 */
export const objectText = (field: string, message: string): Schema.Schema<JsonText, JsonObject> =>
  Schema.transform(
    // What stands for an object is one by this check, too; it is made by us alone.
    Schema.declare(isJsonObject, {
      jsonSchema: objectJsonSchema,
      message: () => ({ message, override: true })
    }).pipe(
      Schema.filter(
        (value) => (value instanceof ObjectText ? value.text !== undefined : isStorableJson(value)),
        { jsonSchema: objectJsonSchema, message: () => unstorableJson(field) }
      )
    ),
    JsonText,
    {
      strict: true,
      decode: (value) => (value instanceof ObjectText ? (value.text ?? "") : JSON.stringify(value)),
      encode: (text) => JSON.parse(text)
    }
  ).annotations({ [asText]: true })

/** Any JSON value that can be stored. */
export const storableValue = (field: string, size: Size): Schema.Schema<unknown> =>
  Schema.Unknown.pipe(Schema.filter(refusalOf(field, size), { jsonSchema: {} }))

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

/** In a query: where the page before ended. */
export const cursor = (message: string) =>
  refusing(
    Schema.String.pipe(
      Schema.filter((text) => readCursor(text) !== undefined, {
        jsonSchema: { description: "`next_cursor` of the page before." }
      })
    ),
    message
  )

/** The body of a POST that needs none. It is still taken in by the rules of `http/runtime/body`. */
export const NoFields = Schema.Struct({}).annotations({ identifier: "NoFields" })
