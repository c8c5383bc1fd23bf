/** Schemas for the fields of requests, each with its message from the contract. */
import { Option, ParseResult, Schema } from "effect"
import { readCursor } from "../../shared/cursor.ts"
import { parseIsoDate } from "../../shared/iso-date.ts"
import { isJsonObject, type JsonObject, JsonText, listAtMost } from "../../shared/schemas.ts"
import { isStorableJson, isStorableText, maxNesting, storageProblem } from "../../shared/storable.ts"
import { oneOf, rejectsOf, withCode } from "./rejects.ts"

/** `schema` with one message for every refusal, and its code if the derived one would clash. */
export const refusing = <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  message: string,
  code?: string
): Schema.Schema<A, I, R> =>
  schema.annotations({
    message: () => ({ message, override: true }),
    ...(code === undefined ? {} : withCode(code))
  })

/** `message` stands for absence and every refusal; by default, absence gives the schema's first one. */
export const required = <A, I, R>(schema: Schema.Schema<A, I, R>, message?: string, code?: string) => {
  const said = message === undefined ? schema : refusing(schema, message, code)
  const [first] = rejectsOf(said.ast)
  if (first === undefined) throw new Error("A required field needs a sentence that answers its absence")
  return Schema.propertySignature(said).annotations({ missingMessage: () => first.message })
}

/** At most `most` items, with one message for what is no such list, and for an item that is refused. */
export const arrayOf = <A>(item: Schema.Schema<A>, most: number, message: string) =>
  listAtMost(refusing(item, message), most, message)

export const filled = (field: string) => refusing(Schema.NonEmptyString, `${field} is required`)

const unstorableText = (field: string) => `${field} must not contain U+0000 or lone surrogates`

export const unstorableJson = (field: string) =>
  `${field} must not contain U+0000, lone surrogates, infinite numbers or more than ${maxNesting} levels`

const tooLarge = (field: string) => `${field} is too large`

/** Text that Postgres can store. */
export const storable =
  (field: string) =>
  <I, R>(text: Schema.Schema<string, I, R>): Schema.Schema<string, I, R> =>
    text.pipe(Schema.filter(isStorableText, { jsonSchema: {}, message: () => unstorableText(field) }))

/** A string of `least` to `most` characters, counted in code points, as `maxLength` of the OpenAPI document is. */
export const characters = (least: number, most: number): Schema.Schema<string> =>
  Schema.String.pipe(
    Schema.filter(
      (text) => {
        // Most texts need not be taken apart: a character has one code unit, or two.
        if (text.length < least || text.length > 2 * most) return false
        return text.length <= most || Array.from(text).length <= most
      },
      { jsonSchema: { ...(least === 0 ? {} : { minLength: least }), maxLength: most } }
    )
  )

/** A trimmed string; `message` if it is then empty. Lengths are in UTF-16 code units. */
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

/** Characters that break lines, or change the direction in which a name and its neighbours are read. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

const maxName = 200

/** `trimmedText` for a name that others see. */
export const nameText = (field: string, message?: string) =>
  trimmedText(field, maxName, message).pipe(
    Schema.filter((text) => !unprintable.test(text), {
      message: () => `${field} must not contain control characters or marks of text direction`
    })
  )

const objectJsonSchema = { type: "object", additionalProperties: true }

/** `json` that can be stored, in at most `most` bytes of compact JSON with numbers written out. */
const storableJson =
  (field: string, most: number | undefined, jsonSchema: object) =>
  <A>(json: Schema.Schema<A>): Schema.Schema<A> =>
    json.pipe(
      Schema.filter(
        (value) => {
          const problem = storageProblem(value, most)
          if (problem === undefined) return undefined
          return problem === "too large" ? tooLarge(field) : unstorableJson(field)
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

/** A storable JSON object, decoded to text. */
export const objectText = (field: string): Schema.Schema<JsonText, JsonObject> =>
  Schema.transform(
    refusing(
      Schema.declare(isJsonObject, { jsonSchema: objectJsonSchema }),
      `${field} must be an object`
    ).pipe(
      Schema.filter(isStorableJson, { jsonSchema: objectJsonSchema, message: () => unstorableJson(field) })
    ),
    JsonText,
    {
      strict: true,
      decode: (value) => JSON.stringify(value),
      encode: (text) => JSON.parse(text)
    }
  )

/** Any JSON value that can be stored, in at most `most` bytes. */
export const storableValue = (field: string, most: number): Schema.Schema<unknown> =>
  Schema.Unknown.pipe(storableJson(field, most, {}))

/** Without the `undefined` of `Schema.optional`: its message would print, and overflow on, a deep value. */
export const optional = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.optionalWith(schema, { exact: true })

/** With its own message for the same reason. It is never the first issue, so nobody sees it. */
const Null = Schema.Null.annotations({ message: () => "must be null" })

/** Optional or null; both decode to an absent field. */
export const optionalNullable = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.optionalToOptional(Schema.Union(schema, Null), Schema.typeSchema(schema), {
    decode: Option.filter((value) => value !== null),
    encode: (value) => value
  })

/** Optional or null, where null removes what is stored. */
export const clearable = <A, I, R>(schema: Schema.Schema<A, I, R>) => optional(Schema.Union(schema, Null))

export const integer = (field: string, least: number, most: number) =>
  refusing(
    Schema.Int.pipe(Schema.between(least, most)),
    `${field} must be a whole number from ${least} to ${most}`
  )

/** Text decoded by `parse`, which returns undefined for text that it refuses. */
export const parsedText = <A>(
  decoded: Schema.Schema<A>,
  parse: (text: string) => A | undefined,
  write: (value: A) => string,
  jsonSchema: object
): Schema.Schema<A, string> =>
  Schema.transformOrFail(
    Schema.String.annotations({ jsonSchema: { type: "string", ...jsonSchema } }),
    decoded,
    {
      strict: true,
      decode: (text, _, ast) =>
        Option.match(Option.fromNullable(parse(text)), {
          onNone: () => ParseResult.fail(new ParseResult.Type(ast, text)),
          onSome: ParseResult.succeed
        }),
      encode: (value) => ParseResult.succeed(write(value))
    }
  )

export const isoDate = (field: string, about = "") => {
  const description = `An ISO 8601 date or date-time. ${about}`.trim()
  const date = Schema.DateFromSelf.annotations({ description })
  return refusing(
    parsedText(date, parseIsoDate, (at) => at.toISOString(), { description }),
    `${field} must be an ISO date string`
  )
}

export const anyText = (field: string, description: string) =>
  optional(refusing(Schema.String.annotations({ description }), `${field} must be given once`))

export const trueOrFalse = (field: string, description: string) =>
  optional(
    refusing(
      Schema.BooleanFromString.annotations({ jsonSchema: { type: "boolean", description } }),
      `${field} must be true or false`
    )
  )

/** A whole number in a query. The pattern excludes `0x10` and ` 5`, which also parse as numbers. */
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

export const pageLimit = Schema.optionalWith(
  wholeNumber("limit", 1, 100, "Maximum number of entries, by default 20."),
  { default: () => 20 }
)

export const pageOffset = (most: number, message?: string, code?: string) =>
  Schema.optionalWith(
    wholeNumber("offset", 0, most, "Number of entries to skip, by default 0.", message, code),
    { default: () => 0 }
  )

export const cursorText = (isCursor: (text: string) => boolean) =>
  refusing(
    Schema.String.pipe(
      Schema.filter(isCursor, { jsonSchema: { description: "`next_cursor` of the previous page." } })
    ),
    "cursor must be the next_cursor of another page"
  )

/** A cursor of lists ordered by time. */
export const pageCursor = optional(cursorText((text) => readCursor(text) !== undefined))

/** `next_cursor` in the response with a page. */
export const NextCursor = Schema.NullOr(Schema.String).annotations({
  description: "The `cursor` of the next page; null on the last page."
})

/** What a response with a page repeats of its request. */
export const pageFields = {
  limit: Schema.Number.annotations({ description: "The `limit` of the request." }),
  offset: Schema.Number.annotations({ description: "The `offset` of the request." })
}

/** The body of a POST without fields. It still follows the rules of `http/runtime/body`. */
export const NoFields = Schema.Struct({}).annotations({ identifier: "NoFields" })
