/** Times in the format and time zone of the browser; words such as "yesterday" are English. */
import { readerLocales } from "./surroundings.ts"

const locales = readerLocales()
const toTheMinute = {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  timeZoneName: "short"
} as const

const moment = new Intl.DateTimeFormat(locales, toTheMinute)
const momentWithSeconds = new Intl.DateTimeFormat(locales, { ...toTheMinute, second: "2-digit" })
const clock = new Intl.DateTimeFormat(locales, { timeStyle: "medium" })
const exact = new Intl.DateTimeFormat(locales, { dateStyle: "full", timeStyle: "long" })
const formats: Readonly<Record<string, Intl.DateTimeFormat>> = { seconds: momentWithSeconds, clock }
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" })
const language = moment.resolvedOptions().locale

const steps = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000]
] as const

/** "3 hours ago", "tomorrow"; undefined if it is more than a week away. */
const inWords = (at: number): string | undefined => {
  const distance = at - Date.now()
  if (Math.abs(distance) > 7 * 86_400_000) return undefined
  const [unit, length] = steps.find(([, millis]) => Math.abs(distance) >= millis) ?? ["minute", 60_000]
  return Math.abs(distance) < 60_000 ? "just now" : relative.format(Math.round(distance / length), unit)
}

interface TimeProps {
  readonly at: string | null
  /** Replaces a missing time. */
  readonly never?: string
  /** Shows date and time instead of how long ago; `clock`: only the time of the day. */
  readonly precise?: boolean | "seconds" | "clock"
}

/** A time; hovering shows it exactly. */
export const Time = ({ at, never = "Never", precise = false }: TimeProps) => {
  if (at === null) return <span class="faint">{never}</span>
  const millis = Date.parse(at)
  const words = precise === false ? inWords(millis) : undefined
  const inReadersLanguage = words === undefined ? { lang: language, dir: "auto" as const } : {}
  return (
    <time dateTime={at} title={exact.format(millis)} {...inReadersLanguage}>
      {words ?? formats[String(precise)]?.format(millis) ?? moment.format(millis)}
    </time>
  )
}
