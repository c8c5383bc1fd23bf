/** A bar chart of calls per day, with the same numbers as a table for screen readers. */
import type { Answer } from "../../common/call.ts"
import { Disclosure } from "../../common/disclosure.tsx"
import { formatCount } from "../../common/parts.tsx"
import { readerLocales } from "../../common/surroundings.ts"
import { Table } from "../../common/table.tsx"
import { callColumns } from "./outcomes.tsx"

/** `day` is `YYYY-MM-DD`, UTC. */
type ChartDay = Answer<"usage.ofSubscription">["usage"]["days"][number]

/** As many as are distinguishable on a phone. */
const maxBars = 62

const daysInWeek = 7

const locales = readerLocales()
const date = new Intl.DateTimeFormat(locales, { day: "numeric", month: "short", timeZone: "UTC" })
const dateWithYear = new Intl.DateTimeFormat(locales, { dateStyle: "medium", timeZone: "UTC" })

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, value) => total + value, 0)

/** One bar per day, or per week for long periods; `id` is its first day, and `to` its last. */
const barsOf = (days: ReadonlyArray<ChartDay>) => {
  const size = days.length > maxBars ? daysInWeek : 1
  return Array.from({ length: Math.ceil(days.length / size) }, (_, index) => {
    const part = days.slice(index * size, (index + 1) * size)
    return {
      id: part[0]?.day ?? "",
      to: part.at(-1)?.day ?? "",
      calls: sum(part.map(({ calls }) => calls)),
      billed: sum(part.map(({ billed }) => billed))
    }
  })
}

const nameOf = ({ id, to }: { readonly id: string; readonly to: string }): string =>
  dateWithYear.formatRange(Date.parse(id), Date.parse(to))

/** The next round number (1, 2 or 5 followed by zeros), for the top of the scale. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)))
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value
}

/** The drawing is stretched to fit its container. */
const height = 100
const barShare = 0.8

export const UsageChart = ({ days }: { readonly days: ReadonlyArray<ChartDay> }) => {
  const bars = barsOf(days)
  const highest = Math.max(0, ...bars.map(({ calls }) => calls))
  const top = roundUp(highest)
  const weekly = bars.length < days.length
  const unit = weekly ? "week" : "day"
  const total = sum(days.map(({ calls }) => calls))
  const peak = bars.find(({ calls }) => calls === highest)
  const first = days[0]
  const last = days.at(-1)
  if (first === undefined || last === undefined) return null
  const most =
    peak === undefined || highest === 0 ? "" : `, most on ${nameOf(peak)} with ${formatCount(highest)}`
  const told = `Calls by ${unit}, ${nameOf({ id: first.day, to: last.day })}: ${formatCount(total)} in all${most}.`
  return (
    <figure class="chart">
      <div class="chart-area">
        <div class="chart-scale" aria-hidden="true">
          <span>{formatCount(top)}</span>
          <span>{top > 1 ? formatCount(top / 2) : ""}</span>
          <span>0</span>
        </div>
        <svg viewBox={`0 0 ${bars.length} ${height}`} preserveAspectRatio="none" role="img" aria-label={told}>
          {[0, 0.5].map((share) => (
            <line key={share} class="grid" x1={0} x2={bars.length} y1={share * height} y2={share * height} />
          ))}
          {bars.map((bar, index) => {
            const x = index + (1 - barShare) / 2
            const all = (bar.calls / top) * height
            const billed = (bar.billed / top) * height
            return (
              <g key={bar.id}>
                <title>{`${nameOf(bar)}: ${formatCount(bar.calls)} calls, ${formatCount(bar.billed)} billed`}</title>
                <rect class="hover" x={index} y={0} width={1} height={height} />
                <rect class="other" x={x} y={height - all} width={barShare} height={all} />
                <rect class="billed" x={x} y={height - billed} width={barShare} height={billed} />
              </g>
            )
          })}
        </svg>
        <div class="chart-days" aria-hidden="true">
          <span>{date.format(Date.parse(first.day))}</span>
          {first === last ? null : <span>{date.format(Date.parse(last.day))}</span>}
        </div>
      </div>
      <figcaption>
        <span class="legend">
          <span class="swatch billed" aria-hidden="true" /> Billed
        </span>
        <span class="legend">
          <span class="swatch other" aria-hidden="true" /> Not billed
        </span>
        <span class="faint">by {unit}, UTC</span>
      </figcaption>
      <Disclosure summary="Show as a table" class="inside">
        {() => (
          <Table
            label={`Calls by ${unit}`}
            rows={bars}
            columns={[{ label: weekly ? "Week" : "Day", cell: nameOf }, ...callColumns]}
          />
        )}
      </Disclosure>
    </figure>
  )
}
