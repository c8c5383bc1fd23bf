/** Schemas that several features share. */
import { ParseResult, Schema, SchemaAST } from "effect"
import { type JsonObject as AnyObject, isJsonObject, objectOf } from "./json.ts"

/** In JSON, ISO 8601 in UTC with milliseconds (contract.md#times). */
export const Timestamp = Schema.Date.annotations({
  identifier: "Timestamp",
  jsonSchema: {
    type: "string",
    format: "date-time",
    description: "ISO 8601 in UTC, with milliseconds.",
    examples: ["2026-11-20T10:00:00.000Z"]
  }
})

/** Of a key: what lists show of its token. */
export const TokenPrefix = Schema.String.annotations({
  description: "The first characters of the token, to tell keys apart. The token itself is not stored."
})

/** Of a key. */
export const LastUsedAt = Schema.NullOr(Timestamp).annotations({
  description: "The latest call with the key, to within a minute; null if there was none."
})

/** Of a key. */
export const RevokedAt = Schema.NullOr(Timestamp).annotations({
  description: "When the key was revoked; null if it was not."
})

export { isJsonObject, objectOf }
export type JsonObject = AnyObject

export const JsonObject: Schema.Schema<JsonObject> = Schema.declare(isJsonObject, {
  identifier: "JsonObject",
  jsonSchema: { type: "object", additionalProperties: true }
})

/** A JSON object stored as text, which is an object in a request body. */
export const JsonText = Schema.String.pipe(Schema.brand("JsonText"))
export type JsonText = typeof JsonText.Type

/**
 * At most `max` items, with one message for any value that is no such list. Refuses an overlong list before
 * it checks the items: `Schema.maxItems` checks all of them first, which blocks the thread.
 */
export const listAtMost = <A>(
  item: Schema.Schema<A>,
  max: number,
  rule: string,
  annotations: Schema.Annotations.Filter<ReadonlyArray<A>> = {}
): Schema.Schema<ReadonlyArray<A>> => {
  const items = Schema.Array(item).annotations({ message: () => rule })
  const parse = () => (input: unknown, options: SchemaAST.ParseOptions, ast: SchemaAST.Declaration) =>
    Array.isArray(input) && input.length > max
      ? ParseResult.fail(new ParseResult.Type(ast, input))
      : ParseResult.validate(items)(input, options)
  return Schema.declare(
    [],
    { decode: parse, encode: parse },
    {
      message: () => rule,
      [SchemaAST.SurrogateAnnotationId]: items.pipe(Schema.maxItems(max, annotations)).ast
    }
  )
}

export const Ok = Schema.Struct({ ok: Schema.Literal(true) }).annotations({ identifier: "Ok" })

export const ok = { ok: true } as const
