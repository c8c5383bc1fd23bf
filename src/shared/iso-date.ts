const isoDate =
  /^(?<date>\d{4}-\d{2}-(?<day>\d{2}))(?:T(?<time>(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?)(?:Z|(?<offsetHours>[+-](?:[01]\d|2[0-3]))(?::?(?<offsetMinutes>[0-5]\d))?)?)?$/

/** Undefined for an invalid date. A date means its first moment in UTC; without an offset, a time is UTC. */
export const parseIsoDate = (text: string): Date | undefined => {
  const parts = isoDate.exec(text)?.groups
  if (parts === undefined) return undefined
  const { date, day, time, offsetHours, offsetMinutes = "00" } = parts
  const calendarDay = new Date(`${date}T00:00:00Z`)
  // JavaScript rolls February 30 over to March.
  if (Number.isNaN(calendarDay.getTime()) || calendarDay.getUTCDate() !== Number(day)) return undefined
  if (time === undefined) return calendarDay
  const offset = offsetHours === undefined ? "Z" : `${offsetHours}:${offsetMinutes}`
  const instant = new Date(`${date}T${time.replace(",", ".")}${offset}`)
  // The offset can move the year out of the range 0000 to 9999.
  return instant.toISOString().length === calendarDay.toISOString().length ? instant : undefined
}
