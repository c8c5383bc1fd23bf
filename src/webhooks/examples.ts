/** An example request and response of each route, for the OpenAPI document. */
const endpoint = {
  id: "01a1f8d6-9d1c-7a51-8f0e-3b7f3c1f7a10",
  url: "https://example.com/hooks/doorlock",
  description: "Production",
  event_types: ["kyc.session.completed", "kyc.session.failed"],
  signing: "v1",
  public_key: null,
  status: "enabled",
  disabled_reason: null,
  created_at: "2026-11-20T10:00:00.000Z"
}

const delivery = {
  id: "5b0c8f7e-2f6d-4c63-9f0a-6f5f0a1f9d21",
  event_id: "evt_6f1c2b9e5d0e4c439a552f3c5f1f8f10",
  event_type: "kyc.session.completed",
  sequence: 42,
  status: "succeeded",
  attempts: 2,
  next_attempt_at: null,
  created_at: "2026-11-20T10:04:31.512Z"
}

const tested = {
  ...delivery,
  event_type: "webhook.test",
  status: "pending",
  attempts: 0,
  next_attempt_at: "2026-11-20T10:04:31.600Z"
}

const failedAttempt = {
  at: "2026-11-20T10:04:31.604Z",
  milliseconds: 182,
  status: 500,
  reason: "The endpoint answered 500.",
  answer: "Internal Server Error"
}

const step = {
  sent: "good",
  expected: "accepted",
  accepted: true,
  milliseconds: 41,
  status: 204,
  reason: null
}

const refusedStep = {
  ...step,
  expected: "refused",
  accepted: false,
  status: 400,
  reason: "The endpoint answered 400."
}

/** Not base64, so that no secret scanner raises an alarm. */
const secret = "whsec_..."

export const examples = {
  list: {
    response: {
      endpoints: [
        { ...endpoint, last_day: { pending: 1, succeeded: 214, failed: 2, held: 0 }, failing_since: null }
      ]
    }
  },
  create: {
    request: {
      url: endpoint.url,
      description: endpoint.description,
      eventTypes: endpoint.event_types,
      signing: "v1"
    },
    response: { endpoint, secret }
  },
  change: {
    request: { status: "disabled" },
    response: { endpoint: { ...endpoint, status: "disabled", disabled_reason: "by_user" } }
  },
  remove: { request: {}, response: { ok: true } },
  rotate: { request: { overlapSeconds: 3600 }, response: { secret } },
  test: { request: {}, response: { delivery: tested } },
  drill: {
    request: {},
    response: {
      report: {
        passed: true,
        steps: [
          step,
          { ...refusedStep, sent: "wrong_signature" },
          { ...refusedStep, sent: "old_timestamp" },
          { ...step, sent: "duplicate" },
          { ...refusedStep, sent: "altered_body" }
        ]
      }
    }
  },
  recover: { request: { since: "2026-11-20T00:00:00.000Z" }, response: { deliveries: 12 } },
  deliveries: { response: { deliveries: [delivery], next_cursor: "NDI" } },
  delivery: {
    response: {
      delivery: {
        ...delivery,
        endpoint_id: endpoint.id,
        event: {
          id: delivery.event_id,
          type: delivery.event_type,
          timestamp: delivery.created_at,
          data: {
            id: "01a1f8d6-727f-7181-ad0f-bd032ea33066",
            instance_id: "01a1f8d6-727f-7182-9b8c-2fe4e9b94026",
            status: "completed",
            mode: "prod",
            url: "/api/kyc/sessions/01a1f8d6-727f-7181-ad0f-bd032ea33066"
          }
        },
        tried: [
          failedAttempt,
          { at: "2026-11-20T10:04:37.101Z", milliseconds: 35, status: 204, reason: null, answer: null }
        ]
      }
    }
  },
  retry: { request: {}, response: { ok: true } }
}
