/** Takes a body apart in a thread, so that its large objects are never created in the main thread. */
import { isJsonObject, parsed } from "../../shared/json.ts"
import { isStorableJson } from "../../shared/storable.ts"
import type { Fields } from "../contract/object-text.ts"

/** From this many bytes on, parsing a body blocks the process for some milliseconds, and so does checking its content. */
export const largeBytes = 65_536

/** The result: the body is not a JSON object, its other fields are large too, or it was taken apart. */
export type Apart =
  | { readonly is: "refused" }
  | { readonly is: "large otherwise" }
  | {
      readonly is: "apart"
      /** The other fields, as JSON. */
      readonly others: string
      /** The objects as JSON text by field; undefined for an object that cannot be stored. */
      readonly texts: Readonly<Record<string, string | undefined>>
    }

/** The value as JSON; undefined if it is nested too deeply. */
const written = (value: object): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

export const apart = (bytes: Uint8Array, fields: Fields): Apart => {
  const body = parsed(bytes)
  if (body === undefined) return { is: "refused" }
  const texts: Record<string, string | undefined> = {}
  const kept: Array<readonly [string, unknown]> = []
  for (const [name, value] of Object.entries(body)) {
    if (fields.texts.includes(name) && isJsonObject(value)) {
      texts[name] = isStorableJson(value) ? JSON.stringify(value) : undefined
    } else if (fields.texts.includes(name) || fields.others.includes(name)) {
      kept.push([name, value])
    }
  }
  const others = written(Object.fromEntries(kept))
  return others === undefined || others.length >= largeBytes
    ? { is: "large otherwise" }
    : { is: "apart", others, texts }
}
