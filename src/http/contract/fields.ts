/**
 * Schemas for the fields of request bodies. Each refuses with the one sentence of its row in the contract.
 */
import { Option, Schema } from "effect"
import { readCursor } from "../../cursor.ts"
import { isJsonObject, type JsonObject, JsonText } from "../../model.ts"
import { parseIsoDate } from "../../shared/iso-date.ts"
import { hindranceOf, isStorableJson, isStorableText, maxNesting } from "../../shared/storable.ts"
import { asText, ObjectText } from "./object-text.ts"
import { oneOf, rejectsOf, withCode } from "./rejects.ts"

/** `schema` with one sentence for whatever it refuses, and the code of the sentence where the derived one would clash. */
export const refusing = <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  message: string,
  code?: string
): Schema.Schema<A, I, R> =>
  schema.annotations({
    message: () => ({ message, override: true }),
    ...(code === undefined ? {} : withCode(code))
  })

/**
 * A field that must be there. `message` answers its absence and all that `schema` refuses; without it, the first sentence of `schema`
 * answers its absence.
 */
export const required = <A, I, R>(schema: Schema.Schema<A, I, R>, message?: string, code?: string) => {
  const said = message === undefined ? schema : refusing(schema, message, code)
  const [first] = rejectsOf(said.ast)
  if (first === undefined) throw new Error("A required field needs a sentence that answers its absence")
  return Schema.propertySignature(said).annotations({ missingMessage: () => first.message })
}

/** Text that is not empty. */
export const filled = (field: string) => refusing(Schema.NonEmptyString, `${field} is required`)

const unstorableText = (field: string) => `${field} must not contain U+0000 or lone surrogates`

export const unstorableJson = (field: string) =>
  `${field} must not contain U+0000, lone surrogates, infinite numbers or more than ${maxNesting} levels`

const tooLarge = (field: string) => `${field} is too large`

/** `text` that Postgres can store. */
export const storable =
  (field: string) =>
  <I, R>(text: Schema.Schema<string, I, R>): Schema.Schema<string, I, R> =>
    text.pipe(Schema.filter(isStorableText, { jsonSchema: {}, message: () => unstorableText(field) }))

/**
 * A string that is trimmed and must then not be empty. Lengths are in UTF-16 code units.
 *
 * @param message answers anything that is no string, and one that is empty once trimmed
 */
export const trimmedText = (field: string, maxLength: number, message = `${field} is required`) =>
  Schema.transform(refusing(Schema.String, message), Schema.String, {
    strict: true,
    decode: (text) => text.trim(),
    encode: (text) => text
  }).pipe(
    Schema.filter((text) => text !== "", { message: () => message }),
    Schema.filter((text) => text.length <= maxLength, {
      message: () => `${field} must be at most ${maxLength} characters`
    }),
    storable(field)
  )

/** Characters by which a name breaks lines, or turns round how itself and what stands beside it are read. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** Characters of a name, at most. */
const maxName = 200

/** As `trimmedText`, for a name that other people are shown. */
export const nameText = (field: string, message?: string) =>
  trimmedText(field, maxName, message).pipe(
    Schema.filter((text) => !unprintable.test(text), {
      message: () => `${field} must not contain control characters or marks of text direction`
    })
  )

const objectJsonSchema = { type: "object", additionalProperties: true }

/** `json` that can be stored, and has at most `most` bytes as compact JSON with numbers written out. */
const storableJson =
  (field: string, most: number | undefined, jsonSchema: object) =>
  <A>(json: Schema.Schema<A>): Schema.Schema<A> =>
    json.pipe(
      Schema.filter(
        (value) => {
          const hindrance = hindranceOf(value, most)
          if (hindrance === undefined) return undefined
          return hindrance === "too large" ? tooLarge(field) : unstorableJson(field)
        },
        { jsonSchema, ...oneOf(unstorableJson(field), ...(most === undefined ? [] : [tooLarge(field)])) }
      )
    )

/** A JSON object that can be stored, in at most `most` bytes. */
export const storableObject = (
  field: string,
  most?: number,
  message = `${field} must be an object`
): Schema.Schema<JsonObject> =>
  refusing(Schema.declare(isJsonObject, { jsonSchema: objectJsonSchema }), message).pipe(
    storableJson(field, most, objectJsonSchema)
  )

/**
 * A JSON object that can be stored, wanted as text: of a large body it is one already (`http/runtime/body-apart`), so that the objects in it are
 * never made in the thread that answers requests.
 */
export const objectText = (field: string): Schema.Schema<JsonText, JsonObject> =>
  Schema.transform(
    // What stands for an object is one by this check, too; it is made by us alone.
    refusing(
      Schema.declare(isJsonObject, { jsonSchema: objectJsonSchema }),
      `${field} must be an object`
    ).pipe(
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

/** Any JSON value that can be stored in at most `most` bytes. */
export const storableValue = (field: string, most: number): Schema.Schema<unknown> =>
  Schema.Unknown.pipe(storableJson(field, most, {}))

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

/** A whole number in a body. */
export const integer = (field: string, least: number, most: number) =>
  refusing(
    Schema.Int.pipe(Schema.between(least, most)),
    `${field} must be a whole number from ${least} to ${most}`
  )

/** An ISO 8601 date or date-time; `about` says more about it. */
export const isoDate = (field: string, about = "") => {
  const description = `An ISO 8601 date or date-time. ${about}`.trim()
  const isDate = (text: string) => parseIsoDate(text) !== undefined
  return refusing(
    Schema.transform(
      Schema.String.pipe(Schema.filter(isDate, { jsonSchema: { description } })),
      Schema.DateFromSelf.annotations({ description }),
      // The filter above has validated the text.
      {
        strict: true,
        decode: (text) => parseIsoDate(text) ?? new Date(Number.NaN),
        encode: (at) => at.toISOString()
      }
    ),
    `${field} must be an ISO date string`
  )
}

/** A field of a query that may be given once, as any text. */
export const anyText = (field: string, description: string) =>
  optional(refusing(Schema.String.annotations({ description }), `${field} must be given once`))

/** `true` or `false` in a query. */
export const trueOrFalse = (field: string, description: string) =>
  optional(
    refusing(
      Schema.BooleanFromString.annotations({ jsonSchema: { type: "boolean", description } }),
      `${field} must be true or false`
    )
  )

/** A whole number in a query. The pattern, since a string is also read as a number when it says `0x10` or ` 5`. */
export const wholeNumber = (
  field: string,
  least: number,
  most: number,
  description: string,
  message = `${field} must be a whole number from ${least} to ${most}`,
  code?: string
) =>
  refusing(
    Schema.compose(
      Schema.String.pipe(Schema.pattern(/^\d+$/)),
      Schema.NumberFromString.pipe(Schema.int(), Schema.between(least, most))
    ).annotations({ jsonSchema: { type: "integer", minimum: least, maximum: most, description } }),
    message,
    code
  )

/** In a query: how many of a list to answer with. */
export const pageLimit = Schema.optionalWith(
  wholeNumber("limit", 1, 100, "The most that are listed. By default 20."),
  { default: () => 20 }
)

/** In a query: how many of a list to pass over, at most `most`. */
export const pageOffset = (most: number, message?: string, code?: string) =>
  Schema.optionalWith(
    wholeNumber(
      "offset",
      0,
      most,
      "How many to pass over before the first that is listed. By default 0.",
      message,
      code
    ),
    { default: () => 0 }
  )

/** In a query: where the page before ended, in text that `isCursor` accepts. */
export const cursorText = (isCursor: (text: string) => boolean) =>
  refusing(
    Schema.String.pipe(
      Schema.filter(isCursor, { jsonSchema: { description: "`next_cursor` of the page before." } })
    ),
    "cursor must be the next_cursor of another page"
  )

/** A cursor of the lists that are ordered by time. */
export const pageCursor = optional(cursorText((text) => readCursor(text) !== undefined))

/** The body of a POST that needs none. It is still taken in by the rules of `http/runtime/body`. */
export const NoFields = Schema.Struct({}).annotations({ identifier: "NoFields" })
