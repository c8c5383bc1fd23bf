/** Subscribes to an API, and shows the first key. */
import { useRef, useState } from "preact/hooks"
import { Alert } from "../../../ui/parts.tsx"
import { type Answer, doorlock, failureOf } from "../../common/call.ts"
import { RadioField, TextField } from "../../common/fields.tsx"
import { useFields } from "../../common/form.tsx"
import type { PageProps } from "../../common/page.ts"
import { PageForm } from "../../common/page-form.tsx"
import { Empty, Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { readOffer } from "../catalog/listed-api.tsx"
import { type ListedApi, limitsOf } from "../catalog/plans.tsx"
import { SubscriptionKeyMade } from "./key-made.tsx"

type Subscribed = Answer<"subscriptions.create">

/** A random UUID; `crypto.randomUUID` exists only over https. */
const uuid = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5")

interface SubscribeFormProps {
  readonly api: ListedApi
  readonly onSubscribed: (subscribed: Subscribed) => void
  /** Called if another member, or an attempt without a response, has already subscribed. */
  readonly onAlready: () => Promise<void>
}

const SubscribeForm = ({ api, onAlready, onSubscribed }: SubscribeFormProps) => {
  const { field, values: body } = useFields({ planId: api.plans[0]?.id ?? "", name: "" })
  const idempotencyKeys = useRef(new Map<string, string>())
  // Repeating a request, for example after a lost response, must return the same marketplace key.
  const idempotencyKeyOf = (request: string): string => {
    const key = idempotencyKeys.current.get(request) ?? uuid()
    idempotencyKeys.current.set(request, key)
    return key
  }
  return (
    <PageForm
      act="Subscribe"
      back={`/dashboard/marketplace/${api.id}`}
      about={{ "Plan not found": "planId" }}
      onSubmit={async () => {
        try {
          onSubscribed(
            await doorlock.subscriptions.create(api.id, body, {
              idempotencyKey: idempotencyKeyOf(JSON.stringify(body))
            })
          )
        } catch (cause) {
          if (failureOf(cause).message !== "Already subscribed to this API") throw cause
          await onAlready()
        }
      }}
    >
      <RadioField
        {...field("planId")}
        label="Plan"
        choices={api.plans.map((plan) => ({ value: plan.id, label: plan.name, hint: limitsOf(plan) }))}
      />
      <TextField
        {...field("name")}
        label="Name of your first key"
        hint="What will use the key, such as “web shop”."
      />
    </PageForm>
  )
}

export const SubscribePage = ({ parameters: { id = "" } }: PageProps) => {
  const loaded = useResource((signal) => readOffer(id, signal), [id])
  const [subscribed, setSubscribed] = useState<Subscribed>()
  if (subscribed !== undefined) {
    return (
      <SubscriptionKeyMade
        title="You are subscribed"
        intro={`The key “${subscribed.apiKey.name}” is ready to use.`}
        made={subscribed}
      />
    )
  }
  const name = loaded.value?.api.name ?? "API"
  return (
    <Page
      title={`Subscribe to ${name}`}
      parent={{ to: `/dashboard/marketplace/${encodeURIComponent(id)}`, label: name }}
    >
      <Loaded of={loaded}>
        {({ api, subscription }) => {
          if (subscription !== undefined) {
            return (
              <Alert tone="info" title="You are already subscribed">
                <p>
                  A company has one subscription to an API.{" "}
                  <Link to={`/dashboard/subscriptions/${subscription.id}`}>See its keys and usage</Link>
                </p>
              </Alert>
            )
          }
          return api.plans.length === 0 ? (
            <Empty title="No plans yet">The publisher has not offered a plan to subscribe to.</Empty>
          ) : (
            <SubscribeForm api={api} onSubscribed={setSubscribed} onAlready={loaded.reload} />
          )
        }}
      </Loaded>
    </Page>
  )
}
