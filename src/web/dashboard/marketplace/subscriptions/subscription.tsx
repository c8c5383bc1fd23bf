import { Alert } from "../../../ui/parts.tsx"
import { useMayWrite } from "../../common/account.ts"
import { doorlock } from "../../common/call.ts"
import { ConfirmButton } from "../../common/dialog.tsx"
import type { PageProps } from "../../common/page.ts"
import { Facts, Page, Section } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { Time } from "../../common/time.tsx"
import { limitsOf } from "../catalog/plans.tsx"
import { SubscriptionUsage } from "../usage/subscription-usage.tsx"
import { Keys } from "./keys.tsx"
import { type Subscription, SubscriptionState } from "./subscriptions.tsx"

const About = ({ of }: { readonly of: Subscription }) => (
  <Section title="Plan">
    <Facts
      of={[
        ["State", <SubscriptionState key="state" of={of} />],
        ["Plan", of.plan.name],
        ["Limits", limitsOf(of.plan)],
        ["Subscribed", <Time key="since" at={of.created_at} precise />],
        [
          "Cancelled",
          of.cancelled_at === null ? undefined : <Time key="until" at={of.cancelled_at} precise />
        ]
      ]}
    />
  </Section>
)

export const SubscriptionPage = ({ parameters: { id = "" } }: PageProps) => {
  const mayWrite = useMayWrite()
  const loaded = useResource((signal) => doorlock.subscriptions.get(id, { signal }), [id])
  const known = loaded.value?.subscription
  return (
    <Page
      title={known?.api.name ?? "Subscription"}
      parent={{ to: "/dashboard/subscriptions", label: "Subscriptions" }}
      intro={known && `by ${known.api.publisher_name}`}
      actions={
        known && (
          <>
            {known.api.published ? (
              <Link to={`/dashboard/marketplace/${known.api_id}`} class="button">
                Documentation
              </Link>
            ) : null}
            {mayWrite && known.status === "active" ? (
              <ConfirmButton
                label="Cancel subscription"
                title={`Cancel the subscription to ${known.api.name}?`}
                act="Yes, cancel it"
                onConfirm={async () => {
                  await doorlock.subscriptions.cancel(id)
                  await loaded.reload()
                }}
              >
                <p>
                  It ends immediately, and its keys stop working. This cannot be undone, but you can subscribe
                  again and get new keys.
                </p>
              </ConfirmButton>
            ) : null}
          </>
        )
      }
    >
      <Loaded of={loaded}>
        {({ subscription }) => (
          <>
            {subscription.status === "active" && !subscription.api.published ? (
              <Alert tone="warning">
                <p>
                  The publisher has removed this API from the marketplace. The gateway does not serve it until
                  it is published again. Your subscription stays.
                </p>
              </Alert>
            ) : null}
            <div class="beside-facts">
              <About of={subscription} />
              <div>
                <Keys of={subscription} />
                <SubscriptionUsage id={subscription.id} />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </Page>
  )
}
