import { isJsonObject } from "../../shared/schemas.ts"

/** The same text for values that are equal in JSON Schema, whatever the order of their keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner
  )

/** Whether no two items are equal. Ajv compares pairwise: half a minute for a list that fits a request. */
export const areDistinct = (items: ReadonlyArray<unknown>): boolean => {
  const seen = new Set<string>()
  for (const item of items) seen.add(canonical(item))
  return seen.size === items.length
}
