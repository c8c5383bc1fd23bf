/** Days and months of the UTC calendar, by which calls are counted. A day is a number: days since 1970-01-01. */

const dayMillis = 86_400_000

/** The day of an instant in milliseconds since 1970. */
export const dayOf = (millis: number): number => Math.floor(millis / dayMillis)

/** `YYYY-MM-DD`. */
export const writeDay = (day: number): string => new Date(day * dayMillis).toISOString().slice(0, 10)

/** The day that `YYYY-MM-DD` names, when there is such a day. */
export const readDay = (text: string): number | undefined => {
  // The year 0 is one of JavaScript's, not of Postgres's.
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith("0000")) return undefined
  const millis = Date.parse(text)
  // JavaScript reads 02-30 as a day of March.
  if (Number.isNaN(millis) || !new Date(millis).toISOString().startsWith(text)) return undefined
  return dayOf(millis)
}

export interface Month {
  /** Its first day. */
  readonly first: number
  /** The first day of the next. */
  readonly end: number
}

const firstOf = (year: number, month: number): number => {
  // Not `Date.UTC`, which takes the years 0 to 99 for those of the twentieth century.
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

/** Milliseconds since 1970 of the day's begin. */
export const beginOf = (day: number): number => day * dayMillis
