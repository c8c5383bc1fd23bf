import type { Answer } from "../common/call.ts"

export type Event = Answer<"events.list">["events"][number]

export const eventTypes: Readonly<Record<Event["type"], string>> = {
  "kyc.session.created": "Session created",
  "kyc.session.started": "Session started",
  "kyc.session.completed": "Session completed",
  "kyc.session.failed": "Session failed",
  "kyc.session.cancelled": "Session cancelled",
  "kyc.session.resumed": "Session resumed",
  "kyc.session.expired": "Session expired",
  "kyc.session.review_claimed": "Session claimed for review",
  "kyc.session.review_released": "Session released by its reviewer",
  "kyc.session.review_proposed": "Decision on a session proposed",
  "kyc.session.reviewed": "Session decided",
  "kyc.session.noted": "Note added to a session",
  "kyc.checks.completed": "Photos of a session checked",
  "kyc.session.redacted": "Session's data destroyed",
  "api_key.created": "API key created",
  "api_key.revoked": "API key revoked",
  "api_key.expiring": "API key expires in seven days",
  "marketplace.subscription.created": "Subscription created",
  "marketplace.subscription.cancelled": "Subscription cancelled",
  "marketplace.key.created": "Marketplace key created",
  "marketplace.key.rotated": "Marketplace key rotated",
  "marketplace.key.revoked": "Marketplace key revoked",
  "marketplace.quota.reached": "Plan's quota reached",
  "marketplace.api.published": "API published",
  "marketplace.api.unpublished": "API unpublished",
  "marketplace.api.version_added": "API version added",
  "webhook.endpoint.disabled": "Webhook endpoint disabled",
  "webhook.test": "Webhook test"
}

/** Groups of types, as the API filters by them. */
export const typeGroups: Readonly<Record<string, string>> = {
  "kyc.*": "KYC sessions",
  "api_key.*": "API keys",
  "marketplace.*": "Marketplace",
  "webhook.*": "Webhooks"
}

export const eventPath = (id: string): string => `/dashboard/events/${encodeURIComponent(id)}`

/** The id of the event's resource. */
export const resourceOf = ({ data }: Event): string => String(data.id ?? "")

/** By the path of the API at which the resource is read: the page that shows it. */
const places = [
  [/^\/api\/kyc\/sessions\//, "Session", ({ id }) => `sessions/${id}`],
  [/^\/api\/api-keys$/, "API keys", () => "keys"],
  [
    /^\/api\/api-marketplace\/subscriptions\//,
    "Subscription",
    ({ id, subscription_id }) => `subscriptions/${subscription_id ?? id}`
  ],
  [/^\/api\/api-marketplace\/publisher\/apis$/, "Your API", ({ api_id, id }) => `publishing/${api_id ?? id}`],
  [/^\/api\/webhook-endpoints$/, "Webhook endpoint", ({ id }) => `webhooks/${id}`],
  [/^\/api\/api-marketplace\/apis\//, "API", ({ id }) => `marketplace/${id}`]
] as const satisfies ReadonlyArray<readonly [RegExp, string, (data: Event["data"]) => string]>

/** The page of the event's resource; undefined for a path that this page does not know yet. */
export const placeOf = ({ data }: Event): { readonly to: string; readonly label: string } | undefined => {
  const [, label, path] = places.find(([pattern]) => pattern.test(String(data.url))) ?? []
  return label === undefined || path === undefined ? undefined : { to: `/dashboard/${path(data)}`, label }
}
