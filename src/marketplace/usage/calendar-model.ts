/** Days and months of the UTC calendar, for counting calls. A day is a number: days since 1970-01-01. */

const dayMillis = 86_400_000

/** The day of a time in milliseconds since 1970. */
export const dayOf = (millis: number): number => Math.floor(millis / dayMillis)

/** `YYYY-MM-DD`. */
export const writeDay = (day: number): string => new Date(day * dayMillis).toISOString().slice(0, 10)

/** The day of a `YYYY-MM-DD` text; undefined if there is no such day. */
export const readDay = (text: string): number | undefined => {
  // JavaScript has a year 0, Postgres does not.
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith("0000")) return undefined
  const millis = Date.parse(text)
  // JavaScript parses 02-30 as a day in March.
  if (Number.isNaN(millis) || !new Date(millis).toISOString().startsWith(text)) return undefined
  return dayOf(millis)
}

export interface Month {
  /** The month's first day. */
  readonly first: number
  /** The first day of the next month. */
  readonly end: number
}

const firstOf = (year: number, month: number): number => {
  // Not `Date.UTC`, which maps the years 0 to 99 to the twentieth century.
  const date = new Date(0)
  date.setUTCFullYear(year, month, 1)
  return dayOf(date.getTime())
}

export const monthOf = (day: number): Month => {
  const date = new Date(day * dayMillis)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth()
  return { first: firstOf(year, month), end: firstOf(year, month + 1) }
}

/** The start of the day in milliseconds since 1970. */
export const beginOf = (day: number): number => day * dayMillis
