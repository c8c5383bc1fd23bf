/** What Postgres can store. Any thread may load this module, so it imports nothing that is slow to load. */
import { isJsonObject } from "./json.ts"

/** Maximum nesting depth; an object directly in a field is one level. */
export const maxNesting = 32

/** Postgres cannot store U+0000, and UTF-8 cannot encode a lone surrogate. */
export const isStorableText = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed()

/** A text as it can be stored, of at most so many UTF-16 code units. `nul` replaces U+0000. */
export const asStorable = (text: string, most?: number, nul = ""): string =>
  text.replaceAll("\u0000", nul).slice(0, most).toWellFormed()

/** The number of characters that Postgres writes: all digits, where JavaScript may write an exponent. */
const numberSize = (value: number): number => {
  const written = String(value)
  const exponent = /e([+-]\d+)$/.exec(written)?.[1]
  return written.length + (exponent === undefined ? 0 : Math.abs(Number(exponent)))
}

/** The size in JSON, in bytes. */
const textSize = (text: string): number =>
  /^[ !#-[\]-~]*$/.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text))

export type StorageProblem = "unstorable" | "too large" | undefined

/**
 * Why jsonb cannot hold the value unchanged, or within `maxBytes` of compact JSON; undefined if it can. Numbers
 * count with all digits: `1e308` is 309 bytes. Blocks the thread, so it visits each value only once.
 */
export const storageProblem = (value: unknown, maxBytes = Number.POSITIVE_INFINITY): StorageProblem => {
  const isCounted = maxBytes < Number.POSITIVE_INFINITY
  let size = 0

  const ofText = (text: string): StorageProblem => {
    if (!isStorableText(text)) return "unstorable"
    if (isCounted) size += textSize(text)
    return size > maxBytes ? "too large" : undefined
  }

  const at = (inner: unknown, level: number): StorageProblem => {
    if (typeof inner === "string") return ofText(inner)
    if (typeof inner === "number") {
      // JSON parses 1e400 as Infinity, and writes Infinity as null.
      if (!Number.isFinite(inner)) return "unstorable"
      if (isCounted) size += numberSize(inner)
    } else if (!(Array.isArray(inner) || isJsonObject(inner))) size += String(inner).length
    else {
      if (level === maxNesting) return "unstorable"
      // One bracket; each item adds the other bracket or a comma.
      size += 1
      if (Array.isArray(inner)) {
        for (const item of inner) {
          size += 1
          const problem = at(item, level + 1)
          if (problem !== undefined) return problem
        }
        if (inner.length === 0) size += 1
      } else {
        let isEmpty = true
        // Parsed JSON has only own keys, and a list of them would take longer than the check.
        for (const key in inner) {
          isEmpty = false
          // One more for the colon.
          size += 2
          const problem = ofText(key) ?? at(inner[key], level + 1)
          if (problem !== undefined) return problem
        }
        if (isEmpty) size += 1
      }
    }
    return size > maxBytes ? "too large" : undefined
  }

  return at(value, 0)
}

export const isStorableJson = (value: unknown): boolean => storageProblem(value) === undefined
