/** Days as forms give them, `YYYY-MM-DD`. */

export const today = (): string => new Date().toISOString().slice(0, 10)

/** Whole years from a day to another, or undefined when it is none. */
export const ageOn = (date: string, day: Date): number | undefined => {
  const [, year, month, dayOfMonth] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date)?.map(Number) ?? []
  if (year === undefined || month === undefined || dayOfMonth === undefined) return undefined
  // The 31st of February would be taken for the 3rd of March.
  if (new Date(year, month - 1, dayOfMonth).getMonth() + 1 !== month) return undefined
  const before = day.getMonth() + 1 < month || (day.getMonth() + 1 === month && day.getDate() < dayOfMonth)
  return day.getFullYear() - year - (before ? 1 : 0)
}
