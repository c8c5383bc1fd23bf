/** Examples for the API description: the data of each type of event, and the calls of each route. */
import type { EventData } from "./types-model.ts"

const sessionId = "01a1f8d6-727f-7181-ad0f-bd032ea33066"
const subscriptionId = "01a1f8d6-72c1-769b-b352-930a5f6722f1"
const apiId = "01a1f8d6-72c1-769b-b352-930a5f6722f3"
const planId = "01a1f8d6-72c1-769b-b352-930a5f6722f4"

const session = {
  id: sessionId,
  instance_id: "01a1f8d6-727f-7182-9b8c-2fe4e9b94026",
  mode: "prod",
  external_reference: "customer-42",
  url: `/api/kyc/sessions/${sessionId}`
} as const

const review = { ...session, status: "completed", by: "01a1f8d6-727f-7183-b0c4-9e1f7a6d2c55" } as const

const apiKey = { id: "01a1f8d6-6f1d-7a83-9e5b-0c1d2e3f4a5b", url: "/api/api-keys" }

const subscription = {
  id: subscriptionId,
  api_id: apiId,
  plan_id: planId,
  url: `/api/api-marketplace/subscriptions/${subscriptionId}`
}

const marketplaceKey = {
  id: "01a1f8d6-72c1-769b-b352-930a5f6722f2",
  subscription_id: subscriptionId,
  mode: "live",
  url: `/api/api-marketplace/subscriptions/${subscriptionId}/keys`
} as const

const api = { id: apiId, url: `/api/api-marketplace/apis/${apiId}` }

const webhookEndpoint = {
  id: "01a1f8e0-2d4c-7b1f-9a63-5c8e7d0f4b21",
  url: "/api/webhook-endpoints"
}

/** The data of one event of each type. */
const exampleData: EventData = {
  "kyc.session.created": { ...session, status: "created" },
  "kyc.session.started": { ...session, status: "running" },
  "kyc.session.completed": { ...session, status: "completed" },
  "kyc.session.failed": { ...session, status: "failed" },
  "kyc.session.cancelled": { ...session, status: "cancelled" },
  "kyc.session.resumed": { ...session, status: "running" },
  "kyc.session.expired": { ...session, status: "expired" },
  "kyc.session.review_claimed": { ...review, review: "pending" },
  "kyc.session.review_released": { ...review, review: "pending" },
  "kyc.session.review_proposed": { ...review, review: "proposed", decision: "approved" },
  "kyc.session.reviewed": { ...review, review: "decided", decision: "approved" },
  "kyc.session.noted": review,
  "kyc.checks.completed": { ...session, status: "completed" },
  "kyc.session.redacted": { ...session, status: "completed" },
  "api_key.created": { ...apiKey, status: "active" },
  "api_key.revoked": { ...apiKey, status: "revoked" },
  "api_key.expiring": { ...apiKey, status: "active" },
  "marketplace.subscription.created": { ...subscription, status: "active" },
  "marketplace.subscription.cancelled": { ...subscription, status: "cancelled" },
  "marketplace.key.created": { ...marketplaceKey, status: "active" },
  "marketplace.key.rotated": { ...marketplaceKey, status: "replaced" },
  "marketplace.key.revoked": { ...marketplaceKey, status: "revoked" },
  "marketplace.quota.reached": {
    ...subscription,
    mode: "live",
    percent: 80,
    month: "2026-11",
    url: `${subscription.url}/usage`
  },
  "marketplace.api.published": { ...api, status: "published" },
  "marketplace.api.unpublished": { ...api, status: "draft" },
  "marketplace.api.version_added": { ...api, status: "published", version: "2" },
  "webhook.endpoint.disabled": { ...webhookEndpoint, status: "disabled", reason: "gone" },
  "webhook.test": webhookEndpoint
}

/** The event with an example's data. */
export const exampleEvent = (type: keyof EventData) => ({
  id: "evt_6f1c2b9e5d0e4c439a552f3c5f1f8f10",
  type,
  timestamp: "2026-11-20T10:04:31.512Z",
  data: exampleData[type]
})

const event = exampleEvent("kyc.session.completed")

export const examples = {
  list: { response: { events: [event], next_cursor: "NDIuMTc5NTUwOTA3MTUxMg", has_more: false } },
  get: { response: { event } }
}
