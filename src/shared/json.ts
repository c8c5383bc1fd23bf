/** JSON objects. Any thread may load this module, so it imports nothing that is slow to load. */

/** As parsed: a key such as `__proto__` is plain data. */
export type JsonObject = { readonly [key: string]: unknown }

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An empty object for a value that is no object. */
export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})

/** Compact JSON that does not depend on the order of an object's fields. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner
  )

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Parses a JSON object from UTF-8; undefined if it is not one. No bytes mean an empty object. */
export const parseJsonObject = (bytes: Uint8Array): JsonObject | undefined => {
  if (bytes.length === 0) return {}
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes))
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
