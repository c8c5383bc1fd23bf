/** Example calls for the API description, one per route. */
const counts = {
  calls: 1_250,
  billed: 1_204,
  outcomes: {
    "2xx": 1_180,
    "3xx": 0,
    "4xx": 22,
    "5xx": 1,
    denied: 4,
    client_closed: 1,
    gateway_error: 2,
    rate_limited: 40,
    quota_exceeded: 0
  }
}

const period = {
  from: "2026-11-20",
  to: "2026-11-20",
  days: [{ day: "2026-11-20", ...counts }],
  total: counts
}

const subscriptionId = "01a1f8d6-72c1-769b-b352-930a5f6722f1"

export const examples = {
  subscription: {
    response: {
      usage: {
        subscription_id: subscriptionId,
        ...period,
        keys: [
          {
            id: "01a1f8d6-72c1-769b-b352-930a5f6722f2",
            name: "Web shop",
            mode: "live",
            token_prefix: "dk_live_CTmB",
            ...counts
          }
        ],
        month: { used: 1_204, limit: 10_000, resets_at: "2026-12-01T00:00:00.000Z" }
      }
    }
  },
  api: {
    response: {
      usage: {
        api_id: "01a1f8d6-72c1-769b-b352-930a5f6722f3",
        ...period,
        subscriptions: [
          {
            id: subscriptionId,
            status: "active",
            company_name: "Example Ltd",
            plan: { id: "01a1f8d6-72c1-769b-b352-930a5f6722f4", name: "Starter" },
            ...counts
          }
        ],
        total_subscriptions: 1,
        limit: 20,
        offset: 0
      }
    }
  }
}
