/** JSON objects, for whichever thread needs them: nothing that takes long to load is needed here. */

/** Any JSON object, kept as it came: odd keys such as `__proto__` are plain data. */
export type JsonObject = { readonly [key: string]: unknown }

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The JSON object in UTF-8 that the bytes are, or undefined. Nothing at all is an empty object. */
export const parsed = (bytes: Uint8Array): JsonObject | undefined => {
  if (bytes.length === 0) return {}
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes))
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
