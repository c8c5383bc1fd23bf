/** Splits a body in a thread, so that the main thread never creates its large objects. */
import { isJsonObject, parseJsonObject } from "../../shared/json.ts"
import { isStorableJson } from "../../shared/storable.ts"
import type { Fields } from "../contract/object-text.ts"
import { isPlainName, mostIgnored } from "./ignored.ts"

/** From this size on, parsing or checking a body blocks the process for milliseconds. */
export const largeBytes = 65_536

/** The body is not a JSON object, its other fields are large too, or it was split. */
export type Apart =
  | { readonly is: "refused" }
  | { readonly is: "large otherwise" }
  | {
      readonly is: "apart"
      /** The other fields, as JSON. */
      readonly others: string
      /** JSON by field; undefined for an object that cannot be stored. */
      readonly texts: Readonly<Record<string, string | undefined>>
    }

/** Undefined if the value is nested too deeply. */
const written = (value: object): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

export const apart = (bytes: Uint8Array, fields: Fields): Apart => {
  const body = parseJsonObject(bytes)
  if (body === undefined) return { is: "refused" }
  const texts: Record<string, string | undefined> = {}
  const kept: Array<readonly [string, unknown]> = []
  let ignored = 0
  for (const [name, value] of Object.entries(body)) {
    if (fields.texts.includes(name) && isJsonObject(value)) {
      texts[name] = isStorableJson(value) ? JSON.stringify(value) : undefined
    } else if (fields.texts.includes(name) || fields.others.includes(name)) {
      kept.push([name, value])
    } else if (ignored < mostIgnored && isPlainName(name)) {
      // Only its name is needed, which the response repeats.
      kept.push([name, null])
      ignored += 1
    }
  }
  const others = written(Object.fromEntries(kept))
  return others === undefined || others.length >= largeBytes
    ? { is: "large otherwise" }
    : { is: "apart", others, texts }
}
