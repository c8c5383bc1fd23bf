import { type Answer, chosen, doorlock } from "../../common/call.ts"
import { Badge, formatCount, Section } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { LongTable } from "../../common/table.tsx"
import { Time } from "../../common/time.tsx"
import { UsageChart } from "./chart.tsx"
import { callColumns, Outcomes, Totals } from "./outcomes.tsx"
import { PeriodChoice, usePeriod } from "./period.tsx"

type Usage = Answer<"usage.ofSubscription">["usage"]

const Month = ({ month: { limit, resets_at, used } }: Pick<Usage, "month">) =>
  limit === null ? (
    <p class="faint">{formatCount(used)} calls this month. Your plan has no monthly limit.</p>
  ) : (
    <div class="quota">
      <p>
        <strong>{formatCount(used)}</strong> of {formatCount(limit)} calls this month{" "}
        <span class="faint">
          until <Time at={resets_at} precise />
        </span>
      </p>
      <progress value={Math.min(used, limit)} max={limit} aria-label="Used of the monthly limit" />
      <p class="faint">Counted across all of your company's keys and subscriptions for this API.</p>
    </div>
  )

const Keys = ({ keys }: Pick<Usage, "keys">) => (
  <LongTable
    label="Calls by key"
    rows={keys.filter(({ calls }) => calls > 0)}
    columns={[
      {
        label: "Key",
        cell: ({ mode, name }) => (
          <>
            {name} {mode === "test" ? <Badge>Test</Badge> : null}
          </>
        ),
        under: ({ token_prefix }) => <code>{token_prefix}…</code>
      },
      ...callColumns
    ]}
  />
)

export const SubscriptionUsage = ({ id }: { readonly id: string }) => {
  const { from, to } = usePeriod()
  const loaded = useResource(
    (signal) => doorlock.usage.ofSubscription(id, chosen({ from, to }), { signal }),
    [id, from, to],
    { keeps: true }
  )
  return (
    <Section title="Usage">
      <PeriodChoice />
      <Loaded of={loaded}>
        {({ usage: { days, keys, month, total } }) => (
          <>
            <Month month={month} />
            <Totals
              of={total}
              third={[
                "Over the plan",
                formatCount(total.outcomes.rate_limited + total.outcomes.quota_exceeded)
              ]}
            >
              <UsageChart days={days} />
              <Outcomes of={total} />
              <Keys keys={keys} />
            </Totals>
          </>
        )}
      </Loaded>
    </Section>
  )
}
