/** How personal data is stored in a session's row: sealed under the session's key, in columns that stay jsonb. */
import { type DataKey, isSealedText, openText, type SealedKey, sealText } from "../../secrets/data-keys.ts"
import { isJsonObject, type JsonObject } from "../../shared/json.ts"

export type { SealedKey }

/** A sealed value as it is stored, or null for none. */
export type Sealed = string | null

/** The owner of a session's key: the key does not open for another session or company. */
export const keyOwner = (companyId: string, sessionId: string): string =>
  `kyc session ${companyId} ${sessionId}`

const exponent = /^(-?)(\d)(?:\.(\d+))?e([+-])(\d+)$/

/** With all digits, as Postgres writes numbers. */
const printedNumber = (value: number): string => {
  const written = JSON.stringify(value)
  const found = exponent.exec(written)
  if (found === null) return written
  const [, minus = "", whole = "", rest = "", sign, places] = found
  return sign === "-"
    ? `${minus}0.${"0".repeat(Number(places) - 1)}${whole}${rest}`
    : `${minus}${whole}${rest.padEnd(Number(places), "0")}`
}

/** JSON as Postgres prints jsonb: the limit of progress counts the bytes of this form. */
export const printed = (value: unknown): string => {
  if (typeof value === "number") return printedNumber(value)
  if (Array.isArray(value)) return `[${value.map(printed).join(", ")}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  return `{${Object.keys(value)
    .map((key) => `${JSON.stringify(key)}: ${printed(value[key])}`)
    .join(", ")}}`
}

/** The maximum size of progress before it is sealed, in bytes of its printed form. */
export const maxProgressBytes = 65_536

const openValue = (key: DataKey, place: string, stored: unknown): unknown => {
  if (stored === null) return null
  if (!isSealedText(stored)) throw new TypeError(`The ${place} of a session is not sealed`)
  return JSON.parse(openText(key, place, stored))
}

const placeOf = (name: string): string => `progress ${name}`

const eachValue = (object: JsonObject, change: (name: string, value: unknown) => unknown): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(name, value)]))

/** Value by value, under the same names, so that the database can merge it with what is stored. */
export const sealProgress = (key: DataKey, progress: JsonObject): JsonObject =>
  eachValue(progress, (name, value) => sealText(key, placeOf(name), printed(value)))

const sealValue = (key: DataKey, place: string, value: unknown): Sealed =>
  value === null || value === undefined ? null : sealText(key, place, JSON.stringify(value))

export const sealMetadata = (key: DataKey, metadata: JsonObject | null | undefined): Sealed =>
  sealValue(key, "metadata", metadata)

export const sealResult = (key: DataKey, result: unknown): Sealed => sealValue(key, "result", result)

/** The personal data of a session as stored, with the session's key. */
export interface StoredData {
  readonly progress: JsonObject
  readonly result: unknown
  readonly metadata: unknown
}

/** The personal data of a session. */
export interface OpenedData {
  readonly progress: JsonObject
  readonly result: unknown
  readonly metadata: JsonObject | null
}

const objectOrNull = (value: unknown): JsonObject | null => {
  if (value === null || isJsonObject(value)) return value
  throw new TypeError("The metadata of a session is no object")
}

/** Throws if a value was sealed under another key, or in another place. */
export const openData = (key: DataKey, { metadata, progress, result }: StoredData): OpenedData => ({
  progress: eachValue(progress, (name, value) => openValue(key, placeOf(name), value)),
  result: openValue(key, "result", result),
  metadata: objectOrNull(openValue(key, "metadata", metadata))
})

/** What a read shows of a session whose key is destroyed. */
export const noData = { progress: null, result: null, metadata: null }

/** The key of a session as stored; null if it is destroyed. */
export interface KeptKey {
  readonly sealed_key: SealedKey["sealed_key"] | null
  readonly sealed_with: SealedKey["sealed_with"] | null
}
