/** Others' calls of an API, and how many of them are billed. */

import { type Answer, chosen, doorlock } from "../../common/call.ts"
import type { PageProps } from "../../common/page.ts"
import { Badge, formatCount, Page, Section } from "../../common/parts.tsx"
import { Loaded, usePages, useResource } from "../../common/resource.tsx"
import { Table } from "../../common/table.tsx"
import { UsageChart } from "../usage/chart.tsx"
import { callColumns, Outcomes, Totals } from "../usage/outcomes.tsx"
import { type Period, PeriodChoice, usePeriod } from "../usage/period.tsx"
import { parentOf, readOwnApi } from "./own-api.tsx"

type Usage = Answer<"usage.ofApi">["usage"]

const read = async (id: string, period: Period, cursor: string | undefined, signal: AbortSignal) => {
  const offset = Number(cursor ?? 0)
  const { usage } = await doorlock.usage.ofApi(id, chosen({ ...period, limit: 50, offset }), { signal })
  const { subscriptions: items, total_subscriptions } = usage
  const end = offset + items.length
  return { ...usage, items, next: items.length > 0 && end < total_subscriptions ? String(end) : null }
}

const Subscribers = ({ of }: { readonly of: Usage["subscriptions"] }) => (
  <Table
    label="Calls by subscriber"
    rows={of}
    columns={[
      {
        label: "Subscriber",
        cell: ({ company_name, status }) => (
          <>
            <bdi>{company_name}</bdi> {status === "cancelled" ? <Badge>Cancelled</Badge> : null}
          </>
        )
      },
      { label: "Plan", cell: ({ plan }) => plan.name },
      ...callColumns,
      {
        label: "Failed",
        numeric: true,
        cell: ({ outcomes }) => formatCount(outcomes["5xx"] + outcomes.gateway_error)
      }
    ]}
  />
)

export const ApiUsagePage = ({ parameters: { id = "" } }: PageProps) => {
  const { from, to } = usePeriod()
  const api = useResource((signal) => readOwnApi(id, signal), [id])
  const usage = usePages((cursor, signal) => read(id, { from, to }, cursor, signal), [id, from, to])
  return (
    <Page
      title={api.value === undefined ? "Usage" : `Usage of ${api.value.name}`}
      parent={parentOf(id, api.value)}
      intro="Your subscribers see the same numbers. You see only the name and plan of their company."
    >
      <PeriodChoice />
      <Loaded of={usage}>
        {({ days, items, total, total_subscriptions }) => (
          <Totals of={total} third={["Subscribers who called", formatCount(total_subscriptions)]}>
            <Section title="Calls">
              <UsageChart days={days} />
              <Outcomes of={total} />
            </Section>
            <Section title="Subscribers">
              <Subscribers of={items} />
              {usage.more}
            </Section>
          </Totals>
        )}
      </Loaded>
    </Page>
  )
}
