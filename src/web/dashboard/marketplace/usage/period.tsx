/** The period of a usage page. It is in the URL, so that the page can be linked to. */
import { useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import { Select } from "../../common/fields.tsx"
import { DateFilter } from "../../common/filters.tsx"
import { setQuery, useLocation } from "../../common/router.tsx"

const dayMillis = 86_400_000

const written = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const daysAgo = (days: number): string => written(Date.now() - days * dayMillis)

/** A day of the month that is `months` after this one; day 0 is the last of the month before it. */
const dayOf = (months: number, day: number): string => {
  const now = new Date()
  return written(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, day))
}

const thisMonth = { label: "This month", of: (): Period => ({ from: dayOf(0, 1), to: daysAgo(0) }) }

const periods = new Map([
  ["month", thisMonth],
  ["last", { label: "Last month", of: () => ({ from: dayOf(-1, 1), to: dayOf(0, 0) }) }],
  ["30", { label: "Last 30 days", of: () => ({ from: daysAgo(29), to: daysAgo(0) }) }],
  ["90", { label: "Last 90 days", of: () => ({ from: daysAgo(89), to: daysAgo(0) }) }],
  ["year", { label: "Last 12 months", of: () => ({ from: daysAgo(364), to: daysAgo(0) }) }]
])

const choices = [
  ...Array.from(periods, ([name, { label }]) => [name, label] as const),
  ["own", "From … to …"] as const
]

export interface Period {
  /** `YYYY-MM-DD`, UTC; both days are included. */
  readonly from: string
  readonly to: string
}

/** The period in the URL, or else the current month. */
export const usePeriod = (): Period => {
  const { query } = useLocation()
  const from = query.get("from")
  const to = query.get("to")
  if (from !== null && to !== null) return { from, to }
  return (periods.get(query.get("period") ?? "") ?? thisMonth).of()
}

export const PeriodChoice = () => {
  const { query } = useLocation()
  const named = query.get("period") ?? ""
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
          value={own ? "own" : periods.has(named) ? named : "month"}
          choices={choices}
          onChange={(chosen) => {
            setOwn(chosen === "own")
            if (chosen !== "own") setQuery({ period: chosen, from: undefined, to: undefined })
          }}
        />
      </label>
      {own ? (
        <>
          <DateFilter label="From" name="from" required defaultValue={from} />
          <DateFilter label="To" name="to" required defaultValue={to} />
          <Button submits>Show</Button>
        </>
      ) : null}
    </form>
  )
}
