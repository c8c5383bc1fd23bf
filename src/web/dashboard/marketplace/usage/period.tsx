/** The period of a usage page. It is in the address, so that the page can be linked to. */
import { useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import { Select } from "../../common/fields.tsx"
import { setQuery, useLocation } from "../../common/router.tsx"

const dayMillis = 86_400_000

const written = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const daysAgo = (days: number): string => written(Date.now() - days * dayMillis)

const today = (): string => daysAgo(0)

const monthBegin = (monthsAgo: number): string => {
  const now = new Date()
  return written(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, 1))
}

const periods = {
  month: { label: "This month", of: () => ({ from: monthBegin(0), to: today() }) },
  last: {
    label: "Last month",
    of: () => ({ from: monthBegin(1), to: written(Date.parse(monthBegin(0)) - dayMillis) })
  },
  "30": { label: "Last 30 days", of: () => ({ from: daysAgo(29), to: today() }) },
  "90": { label: "Last 90 days", of: () => ({ from: daysAgo(89), to: today() }) },
  year: { label: "Last 12 months", of: () => ({ from: daysAgo(364), to: today() }) }
} as const

const choices = [
  ...Object.entries(periods).map(([name, { label }]) => [name, label] as const),
  ["own", "From … to …"] as const
]

type Name = keyof typeof periods

const isName = (text: string | null): text is Name => text !== null && Object.hasOwn(periods, text)

export interface Period {
  /** `YYYY-MM-DD`, UTC; both days are included. */
  readonly from: string
  readonly to: string
}

/** The period in the address, or else the current month. */
export const usePeriod = (): Period => {
  const { query } = useLocation()
  const from = query.get("from")
  const to = query.get("to")
  const name = query.get("period")
  if (from !== null && to !== null) return { from, to }
  return periods[isName(name) ? name : "month"].of()
}

interface DayProps {
  readonly name: "from" | "to"
  readonly label: string
  readonly day: string
}

const Day = ({ day, label, name }: DayProps) => (
  <label class="field">
    <span>{label}</span>
    <input type="date" name={name} required defaultValue={day} />
  </label>
)

export const PeriodChoice = () => {
  const { query } = useLocation()
  const named = query.get("period")
  const { from, to } = usePeriod()
  const [own, setOwn] = useState(query.get("from") !== null && query.get("to") !== null)
  return (
    <form
      class="filters"
      aria-label="Period"
      onSubmit={(event) => {
        event.preventDefault()
        const days = new FormData(event.currentTarget)
        setQuery({ period: undefined, from: String(days.get("from")), to: String(days.get("to")) })
      }}
    >
      <label class="field">
        <span>Period</span>
        <Select
          value={own ? "own" : isName(named) ? named : "month"}
          choices={choices}
          onChange={(chosen) => {
            setOwn(chosen === "own")
            if (chosen !== "own") setQuery({ period: chosen, from: undefined, to: undefined })
          }}
        />
      </label>
      {own ? (
        <>
          <Day name="from" label="From" day={from} />
          <Day name="to" label="To" day={to} />
          <Button submits>Show</Button>
        </>
      ) : null}
    </form>
  )
}
