import type { ComponentChildren } from "preact"
import type { Answer } from "../common/call.ts"
import { Badge, Section, type Tone } from "../common/parts.tsx"
import { Link } from "../common/router.tsx"
import { Table } from "../common/table.tsx"
import { Time } from "../common/time.tsx"

type Attention = Answer<"figures.overview">["attention"]

interface Matter {
  readonly id: string
  readonly to: string
  readonly what: string
  readonly tone: Tone
  readonly state: string
  readonly when: ComponentChildren
}

const mattersOf = ({ expiring_keys, failing_webhooks, plans_near_end }: Attention): ReadonlyArray<Matter> => [
  ...failing_webhooks.map(({ disabled_at, failing_since, id, url }) => ({
    id,
    to: `/dashboard/webhooks/${id}`,
    what: `Webhook ${url}`,
    tone: "problem" as const,
    state: disabled_at === null ? "Failing" : "Disabled",
    when: (
      <span>
        since <Time at={disabled_at ?? failing_since} />
      </span>
    )
  })),
  ...plans_near_end.map(({ api_name, id, mode, percent }) => ({
    id: `${id} ${mode}`,
    to: `/dashboard/subscriptions/${id}`,
    what: `${api_name}${mode === "test" ? " (test calls)" : ""}`,
    tone: percent >= 100 ? ("problem" as const) : ("warning" as const),
    state: percent >= 100 ? "Plan used up" : "Plan nearly used up",
    when: `${percent}% of this month\u2019s calls`
  })),
  ...expiring_keys.map(({ expires_at, id, name }) => ({
    id,
    to: "/dashboard/keys",
    what: `API key ${name}`,
    tone: "warning" as const,
    state: "Expires",
    when: <Time at={expires_at} />
  }))
]

/** Nothing, if nothing needs attention. */
export const AttentionList = (attention: Attention) => {
  const matters = mattersOf(attention)
  if (matters.length === 0) return null
  return (
    <Section title="Needs attention">
      <Table
        label="Needs attention"
        rows={matters}
        columns={[
          { label: "What", cell: ({ to, what }) => <Link to={to}>{what}</Link> },
          { label: "State", cell: ({ state, tone }) => <Badge tone={tone}>{state}</Badge> },
          { label: "When", cell: ({ when }) => when }
        ]}
      />
    </Section>
  )
}
