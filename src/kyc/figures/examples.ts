const counts = { created: 40, completed: 31, failed: 2, cancelled: 1, expired: 4 }

const step = { step: "person", type: "form", came: 40, answered: 36, left: 4, failed: 0, median_seconds: 41 }

export const examples = {
  overview: {
    response: {
      sessions: {
        days: [{ day: "2026-11-20", ...counts }],
        total: counts,
        completed_share: 0.816,
        median_seconds: 154
      },
      reviews: { waiting: 3, oldest_at: "2026-11-20T08:12:30.000Z" },
      attention: {
        failing_webhooks: [
          {
            id: "01a1f8d8-3b1e-7c4a-9d52-6f0e8b7a4c13",
            url: "https://example.com/hooks",
            failing_since: "2026-11-20T09:00:00.000Z",
            disabled_at: null
          }
        ],
        expiring_keys: [
          {
            id: "01a1f8d7-dfc9-74cc-a4c9-1bdd7c8c13bc",
            name: "Production server",
            expires_at: "2026-12-01T00:00:00.000Z"
          }
        ],
        plans_near_end: [
          {
            id: "01a1f8d6-727f-7182-9b8c-2fe4e9b94026",
            api_name: "Weather",
            mode: "live",
            percent: 80
          }
        ]
      }
    }
  },
  funnel: {
    response: {
      funnel: {
        sessions: 40,
        completed: 31,
        steps: [
          step,
          {
            step: "document",
            type: "document",
            came: 36,
            answered: 31,
            left: 3,
            failed: 2,
            median_seconds: 78
          }
        ]
      }
    }
  }
}
