import * as Schema from "effect/Schema"
import { Timestamp } from "../model.ts"

/** A platform API key as its company sees it; nothing of the secret but its first characters. */
export const ApiKey = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  scopes: Schema.Array(Schema.String),
  expiresAt: Schema.NullOr(Timestamp),
  activeNow: Schema.Boolean,
  token_prefix: Schema.String,
  created_at: Timestamp,
  last_used_at: Schema.NullOr(Timestamp),
  revoked_at: Schema.NullOr(Timestamp)
}).annotations({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

/** The statistics object of service.md. An expired key is in `total` only. */
export const ApiKeyStats = Schema.Struct({
  total: Schema.Number,
  active: Schema.Number,
  revoked_or_disabled: Schema.Number,
  used_last_24h: Schema.Number
}).annotations({ identifier: "ApiKeyStats" })
export type ApiKeyStats = typeof ApiKeyStats.Type

/** What a request may do by a verified key. */
export interface VerifiedKey {
  readonly id: string
  readonly companyId: string
  readonly scopes: ReadonlyArray<string>
}

/**
 * Whether a key with `scopes` may do what needs `scope`: it holds `*`, the scope itself, or an ancestor
 * of it with or without `:*` (decisions, section 3).
 */
export const permits = (scopes: ReadonlyArray<string>, scope: string): boolean =>
  scopes.some((held) => {
    if (held === "*") return true
    const ancestor = held.endsWith(":*") ? held.slice(0, -2) : held
    return scope === held || scope.startsWith(`${ancestor}:`)
  })

const isoDate =
  /^(\d{4})-(\d{2})-(\d{2})(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,]\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/

/**
 * The instant an ISO 8601 date or date-time names, or undefined when it is none of a real calendar day.
 * A date is its first moment in UTC, and a time without an offset is read as UTC.
 */
export const parseIsoDate = (text: string): Date | undefined => {
  const parts = isoDate.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hour] = parts
  const calendarDay = new Date(`${year}-${month}-${day}T00:00:00Z`)
  // JavaScript rolls February 30 over to March; a real day keeps its number.
  if (Number.isNaN(calendarDay.getTime()) || calendarDay.getUTCDate() !== Number(day)) return undefined
  if (hour === undefined) return calendarDay
  const [, local, sign, hours, minutes = "00"] = /^(.+T.+?)(?:Z|([+-])(\d{2}):?(\d{2})?)?$/.exec(text) ?? []
  const offset = sign === undefined ? "Z" : `${sign}${hours}:${minutes}`
  const instant = new Date(`${local?.replace(",", ".")}${offset}`)
  return Number.isNaN(instant.getTime()) ? undefined : instant
}
