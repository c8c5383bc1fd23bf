/** Instants, in the reader's words and time zone. */

const moment = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" })
const exact = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "long" })
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" })

const steps = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000]
] as const

const inWords = (at: number): string => {
  const distance = at - Date.now()
  if (Math.abs(distance) > 7 * 86_400_000) return moment.format(at)
  const [unit, length] = steps.find(([, millis]) => Math.abs(distance) >= millis) ?? ["minute", 60_000]
  return Math.abs(distance) < 60_000 ? "just now" : relative.format(Math.round(distance / length), unit)
}

interface TimeProps {
  readonly at: string | null
  /** What stands there when it never was. */
  readonly never?: string
  /** Date and clock time rather than how long ago. */
  readonly precise?: boolean
}

/** An instant in the reader's time zone; the exact one on hovering. */
export const Time = ({ at, never = "Never", precise = false }: TimeProps) => {
  if (at === null) return <span class="faint">{never}</span>
  const millis = Date.parse(at)
  return (
    <time dateTime={at} title={exact.format(millis)}>
      {precise ? moment.format(millis) : inWords(millis)}
    </time>
  )
}
