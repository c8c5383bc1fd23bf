/** Endpoints and deliveries in the words of the pages. */

import { type Answer, ApiFailure, doorlock, failureOf } from "../common/call.ts"
import { Badge, formatCount, type Tone } from "../common/parts.tsx"
import { Time } from "../common/time.tsx"

export type Endpoint = Answer<"webhooks.list">["endpoints"][number]

export type Delivery = Answer<"webhooks.listDeliveries">["deliveries"][number]

export const endpointPath = (id: string): string => `/dashboard/webhooks/${encodeURIComponent(id)}`

export const deliveryPath = (id: string): string => `/dashboard/webhooks/deliveries/${encodeURIComponent(id)}`

export const nameOf = ({ description, url }: Pick<Endpoint, "description" | "url">): string =>
  description ?? new URL(url).host

/** One endpoint of the company, which are few enough to be listed as a whole. */
export const loadEndpoint = async (id: string, signal: AbortSignal): Promise<Endpoint> => {
  const { endpoints } = await doorlock.webhooks.list({ signal })
  const found = endpoints.find((endpoint) => endpoint.id === id)
  if (found === undefined) throw new ApiFailure(404, "Webhook endpoint not found")
  return found
}

/** By status, in the order of display. */
export const deliveryStates = {
  succeeded: { tone: "good", word: "Succeeded" },
  failed: { tone: "problem", word: "Failed" },
  pending: { tone: "neutral", word: "Waiting" },
  held: { tone: "warning", word: "Held" }
} as const satisfies Record<Delivery["status"], { readonly tone: Tone; readonly word: string }>

export const deliveryStatuses = Object.keys(deliveryStates) as ReadonlyArray<Delivery["status"]>

export const DeliveryState = ({ attempts, status }: Pick<Delivery, "attempts" | "status">) =>
  status === "pending" && attempts > 0 ? (
    <Badge tone="warning">Retrying</Badge>
  ) : (
    <Badge tone={deliveryStates[status].tone}>{deliveryStates[status].word}</Badge>
  )

/** Whether events reach an endpoint: `Enabled`, `Failing` or `Disabled`. */
export const EndpointState = ({ failing_since, status }: Pick<Endpoint, "failing_since" | "status">) => {
  if (status === "disabled") return <Badge tone="problem">Disabled</Badge>
  return failing_since === null ? <Badge tone="good">Enabled</Badge> : <Badge tone="warning">Failing</Badge>
}

/** Why an endpoint is in its state; nothing while it is healthy. */
export const EndpointReason = ({
  disabled_reason,
  failing_since
}: Pick<Endpoint, "disabled_reason" | "failing_since">) => {
  if (disabled_reason !== null) return shortReasons[disabled_reason]
  return failing_since === null ? null : (
    <>
      Since <Time at={failing_since} precise />
    </>
  )
}

type Disabled = NonNullable<Endpoint["disabled_reason"]>

const shortReasons: Readonly<Record<Disabled, string>> = {
  by_user: "By your company",
  gone: "It answered 410",
  failing: "It failed for five days"
}

/** Why nothing is sent to a disabled endpoint, and what to do. */
export const disabledReasons: Readonly<Record<Disabled, string>> = {
  by_user: "Your company has disabled it. Enable it to go on.",
  gone: "doorlock has disabled it because it answered 410 (Gone). Enable it when it should receive events again.",
  failing:
    "doorlock has disabled it because every attempt has failed for five days. The deliveries below show why. Fix your server, then enable the endpoint."
}

/** A request that sends something to an endpoint. Says what to do if the endpoint is disabled. */
export const sending = async <A,>(request: Promise<A>): Promise<A> => {
  try {
    return await request
  } catch (cause) {
    const failure = failureOf(cause)
    throw failure.code === "webhook-endpoint-disabled"
      ? new ApiFailure(failure.status, "The endpoint is disabled. Enable it, then try again.")
      : failure
  }
}

/** The API counts at most so many of an endpoint's deliveries (contract.md#webhook-endpoints). */
const mostCounted = 500

/** Whether the last 24 hours had more deliveries than the API counts. */
const isBusy = ({ last_day }: Endpoint): boolean =>
  deliveryStatuses.reduce((sum, status) => sum + last_day[status], 0) >= mostCounted

/** What `last_day` counts. */
export const countedOf = (endpoint: Endpoint): string =>
  isBusy(endpoint) ? `Of the last ${formatCount(mostCounted)} deliveries` : "In the last 24 hours"

/** An endpoint's recent deliveries by status, in words. */
export const lastDay = ({ last_day }: Endpoint) =>
  deliveryStatuses.map((status) => ({ ...deliveryStates[status], status, count: last_day[status] }))
