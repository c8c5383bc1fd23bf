import { Schema } from "effect"
import { Event, EventId, EventType, eventIdOf, ShownEventType } from "../events/model.ts"
import { allEventTypes } from "../events/types-model.ts"
import { cursorsOf } from "../shared/cursor.ts"
import { Timestamp } from "../shared/schemas.ts"

export const Signing = Schema.Literal("v1", "v1a").annotations({
  description:
    "Scheme of Standard Webhooks by which deliveries are signed: `v1` is HMAC-SHA-256 with a shared secret, `v1a` is ed25519."
})

export const EndpointStatus = Schema.Literal("enabled", "disabled").annotations({
  description: "Events for a `disabled` endpoint are held."
})

const DisabledReason = Schema.NullOr(Schema.Literal("by_user", "gone", "failing")).annotations({
  description:
    "`by_user`: by the company; `gone`: it answered 410; `failing`: for five days nothing succeeded, and at least ten attempts failed. Null while it is enabled."
})

/** Where a company receives its events. */
export const WebhookEndpoint = Schema.Struct({
  id: Schema.String,
  url: Schema.String.annotations({ description: "Where events are sent." }),
  description: Schema.NullOr(Schema.String).annotations({
    description: "The company's own words; null if it gave none."
  }),
  event_types: Schema.NullOr(Schema.Array(ShownEventType)).annotations({ description: "Null: all types." }),
  signing: Signing,
  public_key: Schema.NullOr(Schema.String).annotations({
    description: "With `v1a`: the newest key (`whpk_`). Null with `v1`."
  }),
  status: EndpointStatus,
  disabled_reason: DisabledReason,
  created_at: Timestamp
}).annotations({ identifier: "WebhookEndpoint" })
export type WebhookEndpoint = typeof WebhookEndpoint.Type

export const DeliveryStatus = Schema.Literal("pending", "succeeded", "failed", "held").annotations({
  description:
    "`pending`: an attempt is due at `next_attempt_at`. `succeeded`: an attempt was answered with 2xx. `failed`: all attempts failed. `held`: not sent, because the endpoint is disabled."
})
export type DeliveryStatus = typeof DeliveryStatus.Type

export const allStatuses = DeliveryStatus.literals

const deliveryFields = {
  id: Schema.String,
  event_id: EventId,
  event_type: ShownEventType,
  sequence: Schema.Number.annotations({ description: "1, 2, 3, ... within the endpoint, without gaps." }),
  status: DeliveryStatus,
  attempts: Schema.Number.annotations({ description: "How often it was sent so far." }),
  next_attempt_at: Schema.NullOr(Timestamp).annotations({
    description: "When it is sent next; null unless it is `pending`."
  }),
  created_at: Timestamp
}

/** One event for one endpoint. */
export const WebhookDelivery = Schema.Struct(deliveryFields).annotations({ identifier: "WebhookDelivery" })
export type WebhookDelivery = typeof WebhookDelivery.Type

const AnswerStatus = Schema.NullOr(Schema.Number).annotations({
  description: "The HTTP status of the answer; null if there was none."
})

const Milliseconds = Schema.Number.annotations({ description: "How long the request took." })

/** One request to the endpoint. */
export const WebhookAttempt = Schema.Struct({
  at: Schema.propertySignature(Timestamp).annotations({ description: "When the attempt began." }),
  milliseconds: Milliseconds,
  status: AnswerStatus,
  reason: Schema.NullOr(Schema.String).annotations({
    description: "Why it failed, in words; null if it succeeded."
  }),
  answer: Schema.NullOr(Schema.String).annotations({
    description:
      "The first 4 KiB of the answer's body, as text. Null if there was no answer, if it was a 2xx, and once the data of the event's session is destroyed."
  })
}).annotations({ identifier: "WebhookAttempt" })
export type WebhookAttempt = typeof WebhookAttempt.Type

/** How many of an endpoint's newest deliveries are counted. */
export const mostCounted = 500

const Count = Schema.Number

/** An endpoint in the list. */
export const ListedEndpoint = Schema.Struct({
  ...WebhookEndpoint.fields,
  last_day: Schema.Struct({ pending: Count, succeeded: Count, failed: Count, held: Count }).annotations({
    description: `Deliveries of the last 24 hours by status, at most the newest ${mostCounted}.`
  }),
  failing_since: Schema.NullOr(Timestamp).annotations({
    description: "Since when no attempt has succeeded; null if the last one did, or if there was none."
  })
}).annotations({ identifier: "ListedWebhookEndpoint" })

export const DeliveryDetails = Schema.Struct({
  ...deliveryFields,
  endpoint_id: Schema.String,
  event: Schema.propertySignature(Event).annotations({ description: "The body that is sent." }),
  tried: Schema.Array(WebhookAttempt).annotations({
    description: "The attempts, oldest first; at most the last 100."
  })
}).annotations({ identifier: "WebhookDeliveryDetails" })
export type DeliveryDetails = typeof DeliveryDetails.Type

const DrillStep = Schema.Struct({
  sent: Schema.Literal("good", "wrong_signature", "old_timestamp", "duplicate", "altered_body").annotations({
    description:
      "The kind of request: `good` is correctly signed, `duplicate` is the same once more, and the others are forged."
  }),
  expected: Schema.Literal("accepted", "refused").annotations({
    description:
      "A duplicate has to be accepted, or doorlock would send it again, but must not take effect twice."
  }),
  accepted: Schema.Boolean.annotations({ description: "Whether the endpoint answered with 2xx." }),
  milliseconds: Milliseconds,
  status: AnswerStatus,
  reason: Schema.NullOr(Schema.String).annotations({
    description: "Why the endpoint did not accept it, in words; null if it did."
  })
}).annotations({ identifier: "WebhookDrillStep" })
export type DrillStep = typeof DrillStep.Type

/** What an endpoint accepted and refused. */
export const DrillReport = Schema.Struct({
  passed: Schema.Boolean.annotations({
    description: "Whether the endpoint treated every request as expected."
  }),
  steps: Schema.Array(DrillStep)
}).annotations({ identifier: "WebhookDrillReport" })
export type DrillReport = typeof DrillReport.Type

/** Per company. */
export const mostEndpoints = 20

/** Per call. */
export const mostRecovered = 100_000

/** A list's cursor: the sequence of the last delivery of the page. */
export const { read: readSequence, write: writeSequence } = cursorsOf<number>(String, (written) =>
  /^[1-9]\d{0,14}$/.test(written) ? Number(written) : undefined
)

export { allEventTypes, EventType, eventIdOf }

/** In UTF-16 code units. */
const maxLength = 2048

/** The canonical form of an http or https URL without credentials; undefined if the text is none. */
export const webhookUrl = (text: string): string | undefined => {
  // The parser would accept spaces, control characters and lone surrogates, and treat a backslash as a slash.
  const url =
    text.length <= maxLength && /^https?:\/\/[^\s\\#\p{Cc}\p{Cs}]+$/iu.test(text) ? URL.parse(text) : null
  const hasCredentials = url?.username !== "" || url.password !== "" || /@/.test(text.split(/[/?]/)[2] ?? "")
  return url === null || hasCredentials || url.href.length > maxLength ? undefined : url.href
}

/** How the audit trail names an endpoint. The rest of its URL may be secret. */
export const hostOf = (url: string): string => new URL(url).host
