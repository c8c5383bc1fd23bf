import { Schema } from "effect"
import { fails, tooManyRequests } from "../http/contract/error-responses.ts"
import {
  arrayOf,
  clearable,
  cursorText,
  integer,
  isoDate,
  NextCursor,
  optional,
  pageLimit,
  parsedText,
  refusing,
  required,
  trimmedText
} from "../http/contract/fields.ts"
import { accepted, created, route, routeGroup } from "../http/contract/routes.ts"
import { keyOrUser } from "../keys/guards.ts"
import { Ok } from "../shared/schemas.ts"
import {
  DeliveryNotFound,
  SinceTooOld,
  TooManyWebhookEndpoints,
  WebhookEndpointDisabled,
  WebhookEndpointNotFound,
  WebhookUrlRefused
} from "./errors.ts"
import { examples } from "./examples.ts"
import {
  allEventTypes,
  DeliveryDetails,
  DeliveryStatus,
  DrillReport,
  EndpointStatus,
  EventType,
  ListedEndpoint,
  mostEndpoints,
  mostRecovered,
  readSequence,
  Signing,
  WebhookDelivery,
  WebhookEndpoint,
  webhookUrl
} from "./model.ts"

const notHttps = "url must be an https URL"
const privateAddress = "url must not have a private address"
const otherPort = "url must not have a port of another protocol"
const badSince = "since must be an ISO date string of the last 30 days"
const badTypes = "eventTypes must be an array of event types"

const endpointNotFound = fails(WebhookEndpointNotFound, 404, "Webhook endpoint not found")
const deliveryNotFound = fails(DeliveryNotFound, 404, "Delivery not found")
const endpointDisabled = fails(WebhookEndpointDisabled, 409, "Webhook endpoint is disabled")

const sentences = { scheme: notHttps, address: privateAddress, port: otherPort }
const urlRefused = fails(WebhookUrlRefused, 400, privateAddress, {
  code: "by sentence",
  describe: ({ rule }) => sentences[rule]
})

const Url = refusing(
  parsedText(Schema.String, webhookUrl, String, {
    format: "uri",
    description:
      "An https URL. If upstreams of the installation may have private addresses, an http URL of this machine works, too."
  }),
  notHttps
)

const Description = trimmedText("description", 500, "description must not be empty")

const ownWords = "Your own words, to recognize the endpoint."

const Types = arrayOf(EventType, allEventTypes.length, badTypes)

const CreateEndpoint = Schema.Struct({
  url: required(Url),
  description: clearable(Description).annotations({ description: ownWords }),
  eventTypes: clearable(Types).annotations({ description: "Omitted or null: all types." }),
  signing: optional(refusing(Signing, "signing must be v1 or v1a")).annotations({ default: "v1" })
}).annotations({ identifier: "CreateWebhookEndpoint" })

const ChangeEndpoint = Schema.Struct({
  url: optional(Url),
  description: clearable(Description).annotations({ description: `${ownWords} Null removes them.` }),
  eventTypes: clearable(Types).annotations({ description: "Null: all types." }),
  status: optional(
    refusing(EndpointStatus, "status must be enabled or disabled", "endpoint-status-invalid")
  ).annotations({ description: "`disabled`: events are held, until the endpoint is `enabled` again." })
}).annotations({ identifier: "ChangeWebhookEndpoint" })

const Secret = Schema.String.annotations({
  description: "With `v1`: the secret (`whsec_`). It is shown here and never again."
})

const EndpointAnswer = Schema.Struct({ endpoint: WebhookEndpoint })

/** A company's webhook endpoints, and what was sent to them (contract.md#webhook-endpoints). */
export class WebhooksApi extends routeGroup(
  "webhooks",
  {
    title: "Webhooks",
    description:
      "Endpoints to which doorlock sends the company's events by [Standard Webhooks](https://www.standardwebhooks.com) 1.0.0. The bodies are the same as in the feed. Each delivery also has the header `doorlock-sequence`, which numbers the endpoint's deliveries without gaps, and `doorlock-sequence-signature`, which signs that number in place of the body.",
    examples
  },
  route("list", "GET /api/webhook-endpoints", {
    summary: "List the company's endpoints, oldest first",
    access: keyOrUser("webhooks:read", "read"),
    success: Schema.Struct({ endpoints: Schema.Array(ListedEndpoint) }),
    unexpected: "Failed to list webhook endpoints"
  }),
  route("create", "POST /api/webhook-endpoints", {
    summary: "Add an endpoint; only this response contains the secret",
    access: keyOrUser("webhooks:write", "write"),
    body: CreateEndpoint,
    success: created(Schema.Struct({ endpoint: WebhookEndpoint, secret: Schema.optional(Secret) })),
    errors: [urlRefused, fails(TooManyWebhookEndpoints, 409, `At most ${mostEndpoints} webhook endpoints`)],
    rejects: [otherPort],
    unexpected: "Failed to create webhook endpoint"
  }),
  route("change", "PATCH /api/webhook-endpoints/:id", {
    summary: "Change, disable or enable an endpoint",
    description:
      "Events for a disabled endpoint are held for 30 days. After it is enabled again, `recover` sends them.",
    access: keyOrUser("webhooks:write", "write"),
    ids: { id: "the endpoint" },
    body: ChangeEndpoint,
    success: EndpointAnswer,
    errors: [urlRefused, endpointNotFound],
    rejects: [otherPort],
    unexpected: "Failed to change webhook endpoint"
  }),
  route("remove", "POST /api/webhook-endpoints/:id/remove", {
    summary: "Remove an endpoint, and end its waiting deliveries",
    access: keyOrUser("webhooks:write", "write"),
    ids: { id: "the endpoint" },
    success: Ok,
    errors: [endpointNotFound],
    unexpected: "Failed to remove webhook endpoint"
  }),
  route("rotate", "POST /api/webhook-endpoints/:id/secret/rotate", {
    summary: "Rotate an endpoint's secret; only this response contains the new one",
    description:
      "Until the overlap ends, deliveries are signed with both the old and the new secret. At most five secrets are valid at once; another rotation ends the oldest.",
    access: keyOrUser("webhooks:write", "write"),
    ids: { id: "the endpoint" },
    body: Schema.Struct({
      overlapSeconds: optional(integer("overlapSeconds", 0, 604_800)).annotations({ default: 86_400 })
    }).annotations({ identifier: "RotateWebhookSecret" }),
    success: created(
      Schema.Struct({
        secret: Schema.optional(Secret),
        public_key: Schema.optional(
          Schema.String.annotations({ description: "With `v1a`: the public key (`whpk_`)." })
        )
      })
    ),
    errors: [endpointNotFound],
    unexpected: "Failed to rotate webhook secret"
  }),
  route("test", "POST /api/webhook-endpoints/:id/test", {
    summary: "Send a test event to an endpoint",
    access: keyOrUser("webhooks:write", "write"),
    ids: { id: "the endpoint" },
    success: accepted(Schema.Struct({ delivery: WebhookDelivery })),
    errors: [endpointNotFound, endpointDisabled],
    unexpected: "Failed to test webhook endpoint"
  }),
  route("drill", "POST /api/webhook-endpoints/:id/drill", {
    summary: "Run a drill: test whether an endpoint refuses forged requests",
    description:
      "Sends a correctly signed `webhook.test` event, and then the same event with a wrong signature, with an old timestamp, unchanged, and with an altered body. These requests are not deliveries, so they have no sequence.",
    access: keyOrUser("webhooks:write", "write"),
    ids: { id: "the endpoint" },
    success: Schema.Struct({ report: DrillReport }),
    errors: [endpointNotFound, tooManyRequests],
    unexpected: "Failed to drill webhook endpoint"
  }),
  route("recover", "POST /api/webhook-endpoints/:id/recover", {
    summary: "Recover deliveries: resend those that failed or were held",
    description: `Sends again all deliveries since \`since\` that failed or were held, oldest first, 20 a second. One call recovers at most ${mostRecovered}; another call continues.`,
    access: keyOrUser("webhooks:write", "write"),
    ids: { id: "the endpoint" },
    body: Schema.Struct({ since: required(refusing(isoDate("since"), badSince)) }).annotations({
      identifier: "RecoverWebhookDeliveries"
    }),
    success: accepted(
      Schema.Struct({
        deliveries: Schema.Number.annotations({ description: "How many deliveries are sent again." })
      })
    ),
    errors: [fails(SinceTooOld, 400, badSince, { code: "by sentence" }), endpointNotFound, endpointDisabled],
    unexpected: "Failed to recover deliveries"
  }),
  route("deliveries", "GET /api/webhook-endpoints/:id/deliveries", {
    summary: "List the deliveries of an endpoint, newest first",
    description: "Deliveries are stored for 30 days.",
    access: keyOrUser("webhooks:read", "read"),
    ids: { id: "the endpoint" },
    query: Schema.Struct({
      status: optional(
        refusing(
          DeliveryStatus,
          "status must be pending, succeeded, failed or held",
          "delivery-status-invalid"
        )
      ),
      cursor: optional(cursorText((text) => readSequence(text) !== undefined)),
      limit: pageLimit
    }),
    success: Schema.Struct({
      deliveries: Schema.Array(WebhookDelivery),
      next_cursor: NextCursor
    }),
    errors: [endpointNotFound],
    unexpected: "Failed to list deliveries",
    compressed: true
  }),
  route("delivery", "GET /api/webhook-deliveries/:id", {
    summary: "Read a delivery and its attempts",
    access: keyOrUser("webhooks:read", "read"),
    ids: { id: "the delivery" },
    success: Schema.Struct({ delivery: DeliveryDetails }),
    errors: [deliveryNotFound],
    unexpected: "Failed to get delivery"
  }),
  route("retry", "POST /api/webhook-deliveries/:id/retry", {
    summary: "Send a delivery again at once, whatever its status",
    description:
      "The delivery keeps its id, body and sequence number. If the attempt fails, the schedule of retries starts again.",
    access: keyOrUser("webhooks:write", "write"),
    ids: { id: "the delivery" },
    success: accepted(Ok),
    errors: [deliveryNotFound, endpointDisabled],
    unexpected: "Failed to retry delivery"
  })
) {}
