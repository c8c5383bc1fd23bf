import { call } from "../../common/call.ts"
import type { Answer } from "../../common/contract.ts"
import { Badge, Empty, Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { LongTable } from "../../common/table.tsx"
import { Time } from "../../common/time.tsx"
import { limitsOf } from "../catalog/plans.tsx"

export type Subscription = Answer<"marketplace-subscriptions.get">["subscription"]

export const SubscriptionState = ({ of: { api, status } }: { readonly of: Subscription }) =>
  status === "cancelled" ? (
    <Badge>Cancelled</Badge>
  ) : api.published ? (
    <Badge tone="good">Active</Badge>
  ) : (
    <Badge tone="warning">API not published</Badge>
  )

const SubscriptionTable = ({ of }: { readonly of: ReadonlyArray<Subscription> }) => (
  <LongTable
    label="Subscriptions, newest first"
    rows={of}
    keyOf={({ id }) => id}
    columns={[
      {
        label: "API",
        cell: ({ api, id }) => (
          <>
            <Link to={`/dashboard/subscriptions/${id}`}>{api.name}</Link>
            <span class="under">by {api.publisher_name}</span>
          </>
        )
      },
      { label: "State", cell: (subscription) => <SubscriptionState of={subscription} /> },
      {
        label: "Plan",
        cell: ({ plan }) => (
          <>
            {plan.name}
            <span class="under">{limitsOf(plan)}</span>
          </>
        )
      },
      { label: "Since", cell: ({ created_at }) => <Time at={created_at} /> }
    ]}
  />
)

const browse = (
  <Link to="/dashboard/marketplace" class="button primary">
    Browse APIs
  </Link>
)

export const SubscriptionsPage = () => {
  const loaded = useResource((signal) => call("marketplace-subscriptions.list", { signal }), [])
  return (
    <Page title="Subscriptions" intro="The APIs that your servers may call, with their keys and usage.">
      <Loaded of={loaded}>
        {({ subscriptions }) =>
          subscriptions.length === 0 ? (
            <Empty title="No subscriptions yet" action={browse}>
              A subscription gives you a key to call the API through the gateway.
            </Empty>
          ) : (
            <SubscriptionTable of={subscriptions} />
          )
        }
      </Loaded>
    </Page>
  )
}
