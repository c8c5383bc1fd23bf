import type { ComponentChildren } from "preact"
import type { Answer } from "../../common/call.ts"
import { Empty, Facts, formatCount } from "../../common/parts.tsx"
import { type Column, Table } from "../../common/table.tsx"

type Counts = Answer<"usage.ofSubscription">["usage"]["total"]

/** The columns of every table of calls. */
export const callColumns: ReadonlyArray<Column<Pick<Counts, "calls" | "billed">>> = [
  { label: "Calls", numeric: true, cell: ({ calls }) => formatCount(calls) },
  { label: "Billed", numeric: true, cell: ({ billed }) => formatCount(billed) }
]

interface TotalsProps {
  readonly of: Counts
  readonly third: readonly [label: string, value: string]
  /** Details, shown if there were calls. */
  readonly children: ComponentChildren
}

export const Totals = ({ children, of, third }: TotalsProps) => (
  <>
    <Facts
      look="figures"
      of={[
        ["Calls", formatCount(of.calls)],
        ["Billed", formatCount(of.billed)],
        third,
        ["Failed", formatCount(of.outcomes["5xx"] + of.outcomes.gateway_error)]
      ]}
    />
    {of.calls === 0 ? (
      <Empty title="No calls in this period">A call appears here about a second after it was made.</Empty>
    ) : (
      children
    )}
  </>
)

/** The ids are those of the API. */
const outcomes = [
  { id: "2xx", label: "Succeeded (2xx)", billed: true },
  { id: "3xx", label: "Redirected (3xx)", billed: true },
  { id: "4xx", label: "Refused by the API (4xx)", billed: true },
  { id: "5xx", label: "Failed in the API (5xx)", billed: true },
  { id: "client_closed", label: "Cancelled by the caller", billed: true },
  { id: "denied", label: "Denied by the API (401, 403, 429)", billed: false },
  { id: "gateway_error", label: "No response: the API could not be reached", billed: false },
  { id: "rate_limited", label: "Over the plan’s requests per minute", billed: false },
  { id: "quota_exceeded", label: "Over the plan’s requests per month", billed: false }
] as const

/** Lists only outcomes that occurred. */
export const Outcomes = ({ of }: { readonly of: Counts }) => (
  <Table
    label="Outcomes of the calls"
    rows={outcomes.filter(({ id }) => of.outcomes[id] > 0)}
    columns={[
      { label: "Outcome", cell: ({ label }) => label },
      { label: "Calls", numeric: true, cell: ({ id }) => formatCount(of.outcomes[id]) },
      { label: "Billed", cell: ({ billed }) => (billed ? "Yes" : "No") }
    ]}
  />
)
