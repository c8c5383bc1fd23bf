/** Days in the format of forms, `YYYY-MM-DD`. */

export const today = (): string => new Date().toISOString().slice(0, 10)

/** Whole years from one day to another; undefined for an invalid day. */
export const ageOn = (date: string, day: Date): number | undefined => {
  const [, year, month, dayOfMonth] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date)?.map(Number) ?? []
  if (year === undefined || month === undefined || dayOfMonth === undefined) return undefined
  // JavaScript would turn February 31 into March 3.
  if (new Date(year, month - 1, dayOfMonth).getMonth() + 1 !== month) return undefined
  const before = day.getMonth() + 1 < month || (day.getMonth() + 1 === month && day.getDate() < dayOfMonth)
  return day.getFullYear() - year - (before ? 1 : 0)
}
