import { Schema } from "effect"

const id = Schema.String.annotations({ description: "The id of the resource that changed." })
const url = Schema.String.annotations({ description: "The path of the resource in the API." })

const session = Schema.Struct({
  id,
  instance_id: Schema.String,
  status: Schema.Literal("created", "running", "completed", "failed", "cancelled", "expired").annotations({
    description:
      "The status of the session when the event was recorded; `expired` only in `kyc.session.expired`."
  }),
  mode: Schema.Literal("prod", "dev").annotations({
    description: "`prod`: a real verification. `dev`: a test."
  }),
  external_reference: Schema.optional(
    Schema.String.annotations({
      description: "The `externalReference` of the session's creation; absent if there was none."
    })
  ),
  failed_rules: Schema.optional(
    Schema.Array(Schema.String).annotations({
      description:
        "Only in `kyc.session.completed`: the codes of the rules that the answers break, as in `failed_rules` of the session; absent if there are none."
    })
  ),
  url
}).annotations({ identifier: "KycSessionEventData" })

const review = Schema.Struct({
  ...session.fields,
  by: Schema.String.annotations({ description: "A user's id, or `api` for a platform key." }),
  review: Schema.Literal("pending", "proposed", "decided").annotations({
    description: "The status of the review after the change."
  }),
  decision: Schema.optional(
    Schema.Literal("approved", "declined", "resubmission").annotations({
      description: "What was decided or, with four eyes, proposed."
    })
  ),
  next_session_id: Schema.optional(
    Schema.String.annotations({ description: "The session that a resubmission asked for." })
  )
}).annotations({ identifier: "KycReviewEventData" })

const noted = Schema.Struct({
  ...session.fields,
  by: Schema.String.annotations({ description: "A user's id, or `api` for a platform key." })
}).annotations({ identifier: "KycNoteEventData" })

const statusThen = { description: "The status after the change." }

const apiKey = Schema.Struct({
  id,
  status: Schema.Literal("active", "revoked").annotations(statusThen),
  url
}).annotations({ identifier: "ApiKeyEventData" })

const subscription = Schema.Struct({
  id,
  api_id: Schema.String,
  plan_id: Schema.String,
  status: Schema.Literal("active", "cancelled").annotations(statusThen),
  url
}).annotations({ identifier: "SubscriptionEventData" })

const marketplaceKey = Schema.Struct({
  id,
  subscription_id: Schema.String,
  mode: Schema.Literal("live", "test").annotations({
    description: "`test`: its calls go to a sandbox, if the API has one."
  }),
  status: Schema.Literal("active", "replaced", "revoked").annotations({
    description: "The status after the change. A `replaced` key may still work for a while."
  }),
  url
}).annotations({ identifier: "MarketplaceKeyEventData" })

const quota = Schema.Struct({
  id: Schema.String.annotations({ description: "The id of the subscription." }),
  api_id: Schema.String,
  plan_id: Schema.String,
  mode: Schema.Literal("live", "test").annotations({
    description: "`test`: the calls to a sandbox, which are counted separately."
  }),
  percent: Schema.Literal(80, 100).annotations({ description: "How much of the plan's month is used." }),
  month: Schema.String.annotations({
    jsonSchema: { type: "string", description: "The calendar month, UTC.", examples: ["2026-11"] }
  }),
  url
}).annotations({ identifier: "QuotaEventData" })

const api = Schema.Struct({
  id,
  status: Schema.Literal("draft", "published").annotations(statusThen),
  version: Schema.optional(
    Schema.String.annotations({
      description: "The name of the new version; only in `marketplace.api.version_added`."
    })
  ),
  url
}).annotations({ identifier: "ApiEventData" })

const testedEndpoint = Schema.Struct({ id, url }).annotations({ identifier: "WebhookTestEventData" })

const webhookEndpoint = Schema.Struct({
  id,
  status: Schema.Literal("disabled").annotations(statusThen),
  reason: Schema.Literal("gone", "failing").annotations({
    description: "`gone`: it answered 410. `failing`: nothing succeeded for five days."
  }),
  url
}).annotations({ identifier: "WebhookEndpointEventData" })

/** Every type of event: when it is recorded, and the schema of its `data`. */
export const eventTypes = {
  "kyc.session.created": { when: "A KYC session was created.", data: session },
  "kyc.session.started": { when: "A KYC session first became running.", data: session },
  "kyc.session.completed": { when: "A KYC session was completed.", data: session },
  "kyc.session.failed": { when: "A KYC session failed.", data: session },
  "kyc.session.cancelled": { when: "A KYC session was cancelled.", data: session },
  "kyc.session.resumed": {
    when: "A KYC session got a new link, and maybe a new lifetime. `status` is `created` or `running`.",
    data: session
  },
  "kyc.session.expired": {
    when: "A KYC session expired before it was finished. Recorded at most 60 seconds later.",
    data: session
  },
  "kyc.session.review_claimed": {
    when: "A reviewer claimed a KYC session. Renewing a claim records no event.",
    data: review
  },
  "kyc.session.review_released": { when: "A reviewer gave up their claim on a KYC session.", data: review },
  "kyc.session.review_proposed": {
    when: "A decision on a KYC session was proposed, with four eyes, instead of the proposal before if there was one.",
    data: review
  },
  "kyc.session.reviewed": { when: "A KYC session was decided.", data: review },
  "kyc.session.noted": {
    when: "A note was added to a KYC session, alone or with a decision. The event does not contain its text.",
    data: noted
  },
  "kyc.checks.completed": {
    when: "The photos of a KYC session were checked. Read the results from the session's `checks`.",
    data: session
  },
  "kyc.session.redacted": { when: "The personal data of a KYC session was destroyed.", data: session },
  "api_key.created": { when: "A platform API key was created.", data: apiKey },
  "api_key.revoked": { when: "A platform API key was revoked.", data: apiKey },
  "api_key.expiring": {
    when: "A platform API key expires in seven days. Keys that were created with less time left than that get no such event.",
    data: apiKey
  },
  "marketplace.subscription.created": {
    when: "A company subscribed to an API. The subscriber and the publisher each get an event.",
    data: subscription
  },
  "marketplace.subscription.cancelled": {
    when: "A subscription was cancelled. The subscriber and the publisher each get an event.",
    data: subscription
  },
  "marketplace.key.created": { when: "A marketplace key was created.", data: marketplaceKey },
  "marketplace.key.rotated": { when: "A marketplace key was replaced by a new one.", data: marketplaceKey },
  "marketplace.key.revoked": { when: "A marketplace key was revoked.", data: marketplaceKey },
  "marketplace.quota.reached": {
    when: "A company has used 80 or 100 percent of its plan's requests per month. Each of the two is recorded once a month, for the subscriber.",
    data: quota
  },
  "marketplace.api.published": {
    when: "An API was published. The publisher and the subscribers get an event.",
    data: api
  },
  "marketplace.api.unpublished": {
    when: "An API was unpublished. The publisher and the subscribers get an event.",
    data: api
  },
  "marketplace.api.version_added": {
    when: "An API got a new version. The publisher and the subscribers get an event.",
    data: api
  },
  "webhook.endpoint.disabled": {
    when: "doorlock disabled a webhook endpoint, because it answered 410 or has failed for five days.",
    data: webhookEndpoint
  },
  "webhook.test": {
    when: "A test delivery was requested. Only the tested endpoint receives it.",
    data: testedEndpoint
  }
} as const satisfies Readonly<Record<string, { readonly when: string; readonly data: Schema.Schema.Any }>>

export type EventType = keyof typeof eventTypes

// The cast: `Object.keys` returns the names as strings.
export const allEventTypes = Object.keys(eventTypes) as ReadonlyArray<EventType>

/** The data of an event of each type, as JSON. */
export type EventData = { readonly [Type in EventType]: (typeof eventTypes)[Type]["data"]["Encoded"] }
