/** Example calls for the API description, one per route. */
const newSubscription = {
  id: "01a1f8d6-72c1-769b-b352-930a5f6722f1",
  api_id: "01a1f8d0-1c2e-7a41-9d10-5b7c0e9a4f21",
  plan_id: "01a1f8d1-90aa-7b06-8f7e-2f64c1d8e3b0",
  status: "active",
  created_at: "2026-11-20T10:00:00.000Z"
}

const subscription = {
  ...newSubscription,
  cancelled_at: null,
  api: {
    id: newSubscription.api_id,
    publisher_slug: "acme",
    publisher_name: "Acme Ltd",
    slug: "weather",
    name: "Weather",
    published: true
  },
  plan: {
    id: newSubscription.plan_id,
    name: "Free",
    requests_per_minute: 60,
    requests_per_month: 10_000
  }
}

const apiKey = {
  id: "01a1f8d6-72c3-7f10-8a4e-6b0d2c9e5f17",
  subscription_id: newSubscription.id,
  name: "Checkout server",
  mode: "live",
  expiresAt: null,
  activeNow: true,
  token_prefix: "dk_live_CTmB",
  created_at: "2026-11-20T10:00:00.000Z",
  last_used_at: null,
  revoked_at: null,
  rotated_to: null
}

// Look like tokens, but their checksums are wrong, so that no secret scanner reports this page.
const token = "dk_live_CTmB000000000000000000000000000000000000000000000"
const testToken = "dk_test_9xQa000000000000000000000000000000000000000000000"

const done = { request: {}, response: { ok: true } }

export const subscriptions = {
  subscribe: {
    request: { planId: newSubscription.plan_id, name: apiKey.name },
    response: { subscription: newSubscription, apiKey, token }
  },
  list: { response: { subscriptions: [subscription] } },
  get: { response: { subscription } },
  cancel: done
}

export const keys = {
  list: { response: { apiKeys: [apiKey] } },
  create: {
    request: { name: "Staging", mode: "test" },
    response: {
      apiKey: {
        ...apiKey,
        id: "01a1f8d7-03b5-7d52-9c3f-1e8a7b6d4c20",
        name: "Staging",
        mode: "test",
        token_prefix: "dk_test_9xQa"
      },
      token: testToken
    }
  },
  revoke: done,
  rotate: {
    request: { graceSeconds: 3600 },
    response: { apiKey: { ...apiKey, id: "01a1f8d8-5e11-70c9-b6a2-4d9f0c3b8e75" }, token }
  }
}
