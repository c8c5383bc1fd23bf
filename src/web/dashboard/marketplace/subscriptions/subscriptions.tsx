import { type Answer, doorlock } from "../../common/call.ts"
import { Badge, Empty, Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { type Column, LongTable } from "../../common/table.tsx"
import { Time } from "../../common/time.tsx"
import { limitsOf } from "../catalog/plans.tsx"

export type Subscription = Answer<"subscriptions.get">["subscription"]

export const subscriptionPath = (id: string): string => `/dashboard/subscriptions/${encodeURIComponent(id)}`

export const SubscriptionState = ({ of: { api, status } }: { readonly of: Subscription }) =>
  status === "cancelled" ? (
    <Badge>Cancelled</Badge>
  ) : api.published ? (
    <Badge tone="good">Active</Badge>
  ) : (
    <Badge tone="warning">API not published</Badge>
  )

const columns: ReadonlyArray<Column<Subscription>> = [
  {
    label: "API",
    cell: ({ api, id }) => <Link to={subscriptionPath(id)}>{api.name}</Link>,
    under: ({ api }) => `by ${api.publisher_name}`
  },
  { label: "State", cell: (subscription) => <SubscriptionState of={subscription} /> },
  { label: "Plan", cell: ({ plan }) => plan.name, under: ({ plan }) => limitsOf(plan) },
  { label: "Since", cell: ({ created_at }) => <Time at={created_at} /> }
]

export const SubscriptionsPage = () => {
  const loaded = useResource((signal) => doorlock.subscriptions.list({ signal }), [])
  return (
    <Page title="Subscriptions" intro="The APIs that your servers may call, with their keys and usage.">
      <Loaded of={loaded}>
        {({ subscriptions }) => (
          <LongTable
            label="Subscriptions, newest first"
            rows={subscriptions}
            columns={columns}
            empty={
              <Empty
                icon="subscriptions"
                title="No subscriptions yet"
                action={
                  <Link to="/dashboard/marketplace" class="button primary">
                    Browse APIs
                  </Link>
                }
              >
                A subscription gives you a key to call the API through the gateway.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Page>
  )
}
