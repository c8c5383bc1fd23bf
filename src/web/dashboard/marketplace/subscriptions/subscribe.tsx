/** Subscribes to an API; the subscription comes with a first key. */
import { useRef, useState } from "preact/hooks"
import { Alert } from "../../../ui/parts.tsx"
import { call, failureOf } from "../../common/call.ts"
import type { Answer } from "../../common/contract.ts"
import { TextField } from "../../common/fields.tsx"
import { Form, Submit } from "../../common/form.tsx"
import type { PageProps } from "../../common/page.ts"
import { Empty, Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { MembersOnly } from "../../common/writers-only.tsx"
import { type ListedApi, limitsOf } from "../catalog/plans.tsx"
import { readOffer } from "../catalog/reading.ts"
import { KeyMade } from "./key-made.tsx"
import { PlanField } from "./plan-field.tsx"

type Subscribed = Answer<"marketplace-subscriptions.subscribe">

/** A UUID; `crypto.randomUUID` exists only over https. */
const uuid = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20)
  ]
  return parts.join("-")
}

/**
 * The Idempotency-Key of a request. A repeated request, for example after a lost response, uses the same
 * Idempotency-Key and so gets the same response with the same marketplace key.
 */
const useIdempotencyKeys = () => {
  const keys = useRef(new Map<string, string>())
  return (request: string): string => {
    const key = keys.current.get(request) ?? uuid()
    keys.current.set(request, key)
    return key
  }
}

interface SubscribeFormProps {
  readonly api: ListedApi
  readonly onSubscribed: (subscribed: Subscribed) => void
  /** Called if the company already has a subscription: from another member, or from an attempt without a response. */
  readonly onAlready: () => Promise<void>
}

const SubscribeForm = ({ api, onAlready, onSubscribed }: SubscribeFormProps) => {
  const [first] = api.plans
  const [planId, setPlanId] = useState(first?.id ?? "")
  const [name, setName] = useState("")
  const keyOf = useIdempotencyKeys()
  return (
    <Form
      label={`Subscribe to ${api.name}`}
      class="form section"
      about={{ "Plan not found": "planId" }}
      onSubmit={async () => {
        const body = { planId, name }
        try {
          onSubscribed(
            await call("marketplace-subscriptions.subscribe", {
              path: { apiId: api.id },
              body,
              headers: { "idempotency-key": keyOf(JSON.stringify(body)) }
            })
          )
        } catch (cause) {
          if (failureOf(cause).message !== "Already subscribed to this API") throw cause
          await onAlready()
        }
      }}
    >
      <PlanField
        plans={api.plans.map((plan) => ({ id: plan.id, name: plan.name, limits: limitsOf(plan) }))}
        value={planId}
        onChange={setPlanId}
      />
      <TextField
        name="name"
        label="Name of your first key"
        hint="What will use it, such as “web shop”."
        value={name}
        onChange={setName}
      />
      <div class="actions-row">
        <Submit>Subscribe</Submit>
        <Link to={`/dashboard/marketplace/${api.id}`} class="button quiet">
          Cancel
        </Link>
      </div>
    </Form>
  )
}

export const SubscribePage = ({ parameters: { id = "" } }: PageProps) => {
  const loaded = useResource((signal) => readOffer(id, signal), [id])
  const [subscribed, setSubscribed] = useState<Subscribed>()
  if (subscribed !== undefined) {
    return (
      <KeyMade
        title="You are subscribed"
        intro={`The key “${subscribed.apiKey.name}” works from now on.`}
        made={subscribed}
        apiId={id}
      />
    )
  }
  const name = loaded.state.kind === "ready" ? loaded.state.value.api.name : "API"
  return (
    <Page
      title={`Subscribe to ${name}`}
      parent={{ to: `/dashboard/marketplace/${encodeURIComponent(id)}`, label: name }}
    >
      <Loaded of={loaded}>
        {({ api, subscription }) => {
          if (subscription !== undefined) {
            return (
              <Alert tone="info" title="You are subscribed already">
                <p>
                  A company has one subscription to an API.{" "}
                  <Link to={`/dashboard/subscriptions/${subscription.id}`}>See its keys and usage</Link>
                </p>
              </Alert>
            )
          }
          return api.plans.length === 0 ? (
            <Empty title="No plans yet">Its publisher has not offered a plan to subscribe to.</Empty>
          ) : (
            <MembersOnly>
              <SubscribeForm api={api} onSubscribed={setSubscribed} onAlready={loaded.reload} />
            </MembersOnly>
          )
        }}
      </Loaded>
    </Page>
  )
}
