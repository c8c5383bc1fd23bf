import type { Answer } from "../../common/call.ts"
import { Empty, formatCount } from "../../common/parts.tsx"
import { Table } from "../../common/table.tsx"

export type ListedApi = Answer<"catalog.get">["api"]
type Plan = ListedApi["plans"][number]

type Limits = Pick<Plan, "requests_per_minute" | "requests_per_month">

export const limitsOf = ({ requests_per_minute: minute, requests_per_month: month }: Limits): string => {
  if (minute === null) return month === null ? "Unlimited calls" : `${formatCount(month)} calls a month`
  return `${formatCount(minute)} calls a minute${month === null ? "" : `, ${formatCount(month)} a month`}`
}

interface PlansProps {
  readonly of: ReadonlyArray<Plan>
  /** The explanation if there are none. */
  readonly none: string
}

export const Plans = ({ none, of }: PlansProps) => (
  <Table
    label="Plans"
    rows={of}
    empty={<Empty title="No plans yet">{none}</Empty>}
    columns={[
      { label: "Plan", cell: ({ name }) => name },
      { label: "Limits", cell: limitsOf }
    ]}
  />
)
