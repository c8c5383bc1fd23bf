/** What Postgres can hold, for whichever thread asks: nothing that takes long to load is needed here. */
import { isJsonObject } from "./json.ts"

/** Levels of nesting that are stored; an object directly in a field is one level. */
export const maxNesting = 32

/** Whether Postgres can hold the string: it has no place for U+0000, and UTF-8 none for a lone surrogate. */
export const isStorableText = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed()

/** Characters of a number as Postgres writes it: all its digits, where JavaScript may write an exponent. */
const numberSize = (value: number): number => {
  const written = String(value)
  const exponent = /e([+-]\d+)$/.exec(written)?.[1]
  return written.length + (exponent === undefined ? 0 : Math.abs(Number(exponent)))
}

/** Bytes of a string in JSON. */
const textSize = (text: string): number =>
  /^[ !#-[\]-~]*$/.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text))

/** Why a value is not stored; undefined when it can be. */
export type Hindrance = "unstorable" | "too large" | undefined

/**
 * Whether Postgres can hold the value as jsonb and give it back unchanged, in at most so many bytes of compact JSON with numbers written
 * out: what a body says in five bytes, `1e308`, comes back from the database in 309. One look at each value in it, until it is known
 * that it is not stored. Everybody waits meanwhile: a body may hold some hundred thousand values, of which few fit.
 */
export const hindranceOf = (value: unknown, maxBytes = Number.POSITIVE_INFINITY): Hindrance => {
  const isCounted = maxBytes < Number.POSITIVE_INFINITY
  let size = 0

  const ofText = (text: string): Hindrance => {
    if (!isStorableText(text)) return "unstorable"
    if (isCounted) size += textSize(text)
    return size > maxBytes ? "too large" : undefined
  }

  /** Of what is that many levels below the field. Never calls itself deeper than the levels that are allowed. */
  const at = (inner: unknown, level: number): Hindrance => {
    if (typeof inner === "string") return ofText(inner)
    if (typeof inner === "number") {
      // JSON reads 1e400 as Infinity, and writes that as null.
      if (!Number.isFinite(inner)) return "unstorable"
      if (isCounted) size += numberSize(inner)
    } else if (!(Array.isArray(inner) || isJsonObject(inner))) size += String(inner).length
    else {
      if (level === maxNesting) return "unstorable"
      // One bracket; the other, or a comma, is behind each item.
      size += 1
      if (Array.isArray(inner)) {
        for (const item of inner) {
          size += 1
          const hindrance = at(item, level + 1)
          if (hindrance !== undefined) return hindrance
        }
        if (inner.length === 0) size += 1
      } else {
        let isEmpty = true
        // What JSON is read as has no keys but its own. A list of them would take longer than the look itself.
        for (const key in inner) {
          isEmpty = false
          // A colon, too.
          size += 2
          const hindrance = ofText(key) ?? at(inner[key], level + 1)
          if (hindrance !== undefined) return hindrance
        }
        if (isEmpty) size += 1
      }
    }
    return size > maxBytes ? "too large" : undefined
  }

  return at(value, 0)
}

/** Whether Postgres can hold the value as jsonb and give it back unchanged. */
export const isStorableJson = (value: unknown): boolean => hindranceOf(value) === undefined
