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

const openValue = (key: DataKey, place: string, stored: unknown): unknown =>
  // A replica of an earlier version may have added a value that is not sealed.
  isSealedText(stored) ? JSON.parse(openText(key, place, stored)) : stored

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

/** Seals the values that a replica of an earlier version has added to sealed ones. */
export const sealRest = (key: DataKey, { metadata, progress, result }: StoredData) => {
  const open = plainData({
    progress: {},
    result: isSealedText(result) ? null : result,
    metadata: isSealedText(metadata) ? null : metadata
  })
  const isOpen = (name: string) => !isSealedText(progress[name])
  const added = Object.fromEntries(Object.entries(progress).filter(([name]) => isOpen(name)))
  return {
    progress: { ...progress, ...sealProgress(key, added) },
    result: isSealedText(result) ? result : sealResult(key, open.result),
    metadata: isSealedText(metadata) ? metadata : sealMetadata(key, open.metadata)
  }
}

/** Throws if a value was sealed under another key, or in another place. */
export const openData = (key: DataKey, { metadata, progress, result }: StoredData): OpenedData => ({
  progress: eachValue(progress, (name, value) => openValue(key, placeOf(name), value)),
  result: openValue(key, "result", result),
  metadata: objectOrNull(openValue(key, "metadata", metadata))
})

/** Data that an earlier version stored without sealing it. */
export const plainData = ({ metadata, progress, result }: StoredData): OpenedData => ({
  progress,
  result,
  metadata: objectOrNull(metadata)
})

/** What a read shows of a session whose key is destroyed. */
export const noData = { progress: null, result: null, metadata: null }

/** The columns of a session's row, and of its key, that say how to read its personal data. */
export interface KeptKey {
  /** False: an earlier version stored the data, and it is not sealed. */
  readonly sealed: boolean
  /** Null: there is no key. */
  readonly sealed_key: SealedKey["sealed_key"] | null
  readonly sealed_with: SealedKey["sealed_with"] | null
}
