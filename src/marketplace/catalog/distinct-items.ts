import { isJsonObject } from "../../model.ts"

/** The same text for values that are equal as JSON Schema has it: whatever the order of their keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner
  )

/**
 * Whether no two of the items are equal. Each is looked at once: comparing each with every other, as Ajv does with objects,
 * takes half a minute for a list that fits into one request.
 */
export const areDistinct = (items: ReadonlyArray<unknown>): boolean => {
  const seen = new Set<string>()
  for (const item of items) seen.add(canonical(item))
  return seen.size === items.length
}
