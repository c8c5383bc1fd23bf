/** What Postgres can hold, for whichever thread asks: nothing that takes long to load is needed here. */
/** Levels of nesting that are stored; an object directly in a field is one level. */
export const maxNesting = 32

/** Whether Postgres can hold the string: it has no place for U+0000, and UTF-8 none for a lone surrogate. */
export const isStorableText = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed()

/** Whether the value, that many levels below the field, can be stored. Never calls itself deeper than the levels that are allowed. */
const isStorableAt = (value: unknown, level: number): boolean => {
  if (typeof value === "string") return isStorableText(value)
  // JSON reads 1e400 as Infinity, and writes that as null.
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object" || value === null) return true
  if (level === maxNesting) return false
  // By loops: a body may hold some hundred thousand values, and everybody waits while they are looked at.
  if (Array.isArray(value)) {
    for (const item of value) if (!isStorableAt(item, level + 1)) return false
    return true
  }
  for (const key of Object.keys(value)) {
    if (!(isStorableText(key) && isStorableAt(Reflect.get(value, key), level + 1))) return false
  }
  return true
}

/** Whether Postgres can hold the value as jsonb and give it back unchanged. */
export const isStorableJson = (value: unknown): boolean => isStorableAt(value, 0)
