/** A body taken apart in a thread, so that the large objects in it are never objects in the thread that answers requests. */
import { isJsonObject, parsed } from "../../shared/json.ts"
import { isStorableJson } from "../../shared/storable.ts"
import type { Fields } from "../contract/object-text.ts"

/** Bytes from which on a body keeps the process busy for some milliseconds, and then again whoever looks at what is in it. */
export const largeBytes = 65_536

/** A body that is no JSON object; one whose other fields are large themselves; or one that is taken apart. */
export type Apart =
  | { readonly is: "refused" }
  | { readonly is: "large otherwise" }
  | {
      readonly is: "apart"
      /** The other fields, as JSON. */
      readonly others: string
      /** By field; undefined for an object that cannot be stored. */
      readonly texts: Readonly<Record<string, string | undefined>>
    }

/** As JSON; undefined where it is nested too deeply for that. */
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
