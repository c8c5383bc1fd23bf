import { identity, Schema } from "effect"
import { user } from "../../accounts/guards.ts"
import { fails } from "../../http/contract/error-responses.ts"
import { nameText, parsedText, refusing, required } from "../../http/contract/fields.ts"
import { created, route, routeGroup } from "../../http/contract/routes.ts"
import { keyOrUser } from "../../keys/guards.ts"
import { Ok } from "../../shared/schemas.ts"
import { ApiNotFound } from "../catalog/errors.ts"
import {
  AlreadySubscribed,
  IdempotencyKeyReused,
  PlanNotFound,
  RequestInProgress,
  SubscriptionNotFound
} from "./errors.ts"
import { subscriptions as examples } from "./examples.ts"
import { parseIdempotencyKey } from "./idempotency-model.ts"
import { listedEnded, Subscribed, Subscription } from "./model.ts"

const IdempotencyKey = refusing(
  parsedText(Schema.String, parseIdempotencyKey, identity, {
    description: "A UUID that the caller chooses, with or without quotes. Repeat it to retry the request."
  }),
  "Idempotency-Key header must be a UUID"
)

const Subscribe = Schema.Struct({
  planId: required(Schema.String.pipe(Schema.filter((id) => id !== "")), "planId is required").annotations({
    description: "The id of one of the API's `plans`."
  }),
  name: required(nameText("name")).annotations({ description: "The name of the first key." })
}).annotations({ identifier: "Subscribe" })

export const SubscribeAnswer = Schema.Struct({
  ...Subscribed.fields,
  token: Schema.String.annotations({
    description: "The first key's secret token. Only a retry with the same Idempotency-Key returns it again."
  })
}).annotations({ identifier: "Subscribed" })

const notFound = fails(SubscriptionNotFound, 404, "Subscription not found")

/** The company's subscriptions to published APIs (contract.md#subscribing). */
export class SubscriptionsApi extends routeGroup(
  "marketplace-subscriptions",
  {
    title: "Marketplace subscriptions",
    description: "The company's rights to call published APIs, each under a plan.",
    examples
  },
  route("subscribe", "POST /api/api-marketplace/apis/:apiId/subscribe", {
    summary: "Subscribe to an API: choose a plan, and get a first key",
    description:
      "Safe to retry: for 24 hours, the same request with the same Idempotency-Key returns the same " +
      "response with the same token, even if the first response was lost. Errors are not stored. " +
      "A company has at most one active subscription to an API, and may subscribe to its own APIs.",
    access: keyOrUser("marketplace:subscriptions:create", "write"),
    ids: { apiId: "the API" },
    headers: Schema.Struct({ "idempotency-key": required(IdempotencyKey) }),
    body: Subscribe,
    success: created(SubscribeAnswer),
    responseHeaders: {
      "Idempotent-Replayed": { description: "`true` if this response repeats that of an earlier request." }
    },
    errors: [
      fails(ApiNotFound, 404, "API not found"),
      fails(PlanNotFound, 404, "Plan not found"),
      fails(AlreadySubscribed, 409, "Already subscribed to this API"),
      fails(RequestInProgress, 409, "A request with this Idempotency-Key is in progress"),
      fails(IdempotencyKeyReused, 422, "Idempotency-Key was used with a different request")
    ],
    unexpected: "Failed to subscribe"
  }),
  route("list", "GET /api/api-marketplace/subscriptions", {
    summary: "List the company's subscriptions, newest first",
    description: `All active subscriptions, and the newest ${listedEnded} cancelled ones. Older ones can still be read by id.`,
    access: keyOrUser("marketplace:subscriptions:read", "read"),
    success: Schema.Struct({ subscriptions: Schema.Array(Subscription) }),
    unexpected: "Failed to list subscriptions",
    compressed: true
  }),
  route("get", "GET /api/api-marketplace/subscriptions/:id", {
    summary: "Read a subscription",
    access: keyOrUser("marketplace:subscriptions:read", "read"),
    ids: { id: "the subscription" },
    success: Schema.Struct({ subscription: Subscription }),
    errors: [notFound],
    unexpected: "Failed to get subscription"
  }),
  route("cancel", "POST /api/api-marketplace/subscriptions/:id/cancel", {
    summary: "Cancel a subscription, permanently and at once",
    description:
      "Its keys stop working. The company's calls to the API in this minute and month still count if it subscribes again.",
    access: user("write"),
    ids: { id: "the subscription" },
    success: Ok,
    errors: [notFound],
    unexpected: "Failed to cancel subscription"
  })
) {}
