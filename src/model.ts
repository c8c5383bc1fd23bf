/** Shapes that several features share. */
import * as Schema from "effect/Schema"
import { type JsonObject as AnyObject, isJsonObject } from "./json.ts"

/** An instant; on the wire ISO 8601 UTC with milliseconds (contract.md#times). */
export const Timestamp = Schema.Date.annotations({
  identifier: "Timestamp",
  jsonSchema: { type: "string", format: "date-time", examples: ["2026-11-20T10:00:00.000Z"] }
})

export { isJsonObject }
export type JsonObject = AnyObject

export const JsonObject: Schema.Schema<JsonObject> = Schema.declare(isJsonObject, {
  identifier: "JsonObject",
  jsonSchema: { type: "object", additionalProperties: true }
})

/** The text of a JSON object: what is an object in the body of a request and is held as text. */
export const JsonText = Schema.String.pipe(Schema.brand("JsonText"))
export type JsonText = typeof JsonText.Type

export const Ok = Schema.Struct({ ok: Schema.Literal(true) }).annotations({ identifier: "Ok" })

export const ok = { ok: true } as const
