import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { ParseResult, Schema } from "effect"
import { DashboardMember, DashboardSession } from "../../accounts/guards.ts"
import { answers, fails } from "../../http/contract/answers.ts"
import {
  idOf,
  NoFields,
  nameText,
  refusing,
  required,
  unprintableName,
  unstorableText
} from "../../http/contract/fields.ts"
import { Ok } from "../../model.ts"
import { ApiNotFound } from "../catalog/errors.ts"
import {
  AlreadySubscribed,
  IdempotencyKeyReused,
  PlanNotFound,
  RequestInProgress,
  SubscriptionNotFound
} from "./errors.ts"
import { examples } from "./examples.ts"
import { parseIdempotencyKey } from "./idempotency-model.ts"
import { listedEnded, Subscribed, Subscription } from "./model.ts"

const messages = {
  idempotencyKey: "Idempotency-Key header must be a UUID",
  planId: "planId is required",
  name: "name is required",
  nameLong: "name must be at most 200 characters"
} as const

const IdempotencyKey = refusing(
  Schema.transformOrFail(
    Schema.String.annotations({
      jsonSchema: {
        type: "string",
        description: "A UUID of the caller's choosing, also in quotes. The same again is the same request."
      }
    }),
    Schema.String,
    {
      strict: true,
      decode: (header, _, ast) => {
        const key = parseIdempotencyKey(header)
        return key === undefined
          ? ParseResult.fail(new ParseResult.Type(ast, header))
          : ParseResult.succeed(key)
      },
      encode: ParseResult.succeed
    }
  ),
  messages.idempotencyKey
)

export const Subscribe = Schema.Struct({
  planId: required(
    refusing(Schema.String.pipe(Schema.filter((id) => id !== "")), messages.planId),
    messages.planId
  ),
  name: required(
    nameText({ field: "name", message: messages.name, maxLength: 200, tooLong: messages.nameLong }),
    messages.name
  ).annotations({ description: "Of the first key." })
}).annotations({ identifier: "Subscribe" })

export const SubscribeAnswer = Schema.Struct({
  ...Subscribed.fields,
  token: Schema.String.annotations({
    description:
      "The first key's secret. Only the same request with the same Idempotency-Key is told it again."
  })
}).annotations({ identifier: "Subscribed" })

const notFound = fails(SubscriptionNotFound, 404, "Subscription not found")
const ById = Schema.Struct({ id: idOf("the subscription") })

/** The company's subscriptions to published APIs (contract.md#subscribing). */
export class SubscriptionsApi extends HttpApiGroup.make("marketplace-subscriptions")
  .add(
    HttpApiEndpoint.post("subscribe", "/api/api-marketplace/apis/:apiId/subscribe")
      .setPath(Schema.Struct({ apiId: idOf("the API") }))
      .setHeaders(Schema.Struct({ "idempotency-key": required(IdempotencyKey, messages.idempotencyKey) }))
      .setPayload(Subscribe)
      .addSuccess(SubscribeAnswer, { status: 201 })
      .addError(fails(ApiNotFound, 404, "API not found"))
      .addError(fails(PlanNotFound, 404, "Plan not found"))
      .addError(fails(AlreadySubscribed, 409, "Already subscribed to this API"))
      .addError(fails(RequestInProgress, 409, "A request with this Idempotency-Key is in progress"))
      .addError(fails(IdempotencyKeyReused, 422, "Idempotency-Key was used with a different request"))
      .annotate(OpenApi.Summary, "Subscribe to a plan of a published API, and get a first key")
      .annotate(
        OpenApi.Description,
        "Safe to be tried again: the same request with the same Idempotency-Key, within 24 hours, gets the same " +
          "answer with the same token, also when the first answer was lost on its way. Errors are not kept. " +
          "A company has one active subscription to an API at most, and may subscribe to its own."
      )
      .pipe(
        answers({
          example: examples.subscribe,
          rejects: [
            messages.idempotencyKey,
            messages.planId,
            messages.name,
            messages.nameLong,
            unstorableText("name"),
            unprintableName("name")
          ],
          headers: {
            "Idempotent-Replayed": { description: "`true` when this is the answer to an earlier request." }
          },
          unexpected: "Failed to subscribe"
        })
      )
      .middleware(DashboardMember)
  )
  .add(
    HttpApiEndpoint.get("list", "/api/api-marketplace/subscriptions")
      .addSuccess(Schema.Struct({ subscriptions: Schema.Array(Subscription) }))
      .annotate(OpenApi.Summary, "List the company's subscriptions, newest first")
      .annotate(
        OpenApi.Description,
        `All active ones, and the newest ${listedEnded} of those that were cancelled. An older one is still read by its id.`
      )
      .pipe(answers({ example: examples.list, unexpected: "Failed to list subscriptions", compressed: true }))
      .middleware(DashboardSession)
  )
  .add(
    HttpApiEndpoint.get("get", "/api/api-marketplace/subscriptions/:id")
      .setPath(ById)
      .addSuccess(Schema.Struct({ subscription: Subscription }))
      .addError(notFound)
      .annotate(OpenApi.Summary, "Read a subscription")
      .pipe(answers({ example: examples.get, unexpected: "Failed to get subscription" }))
      .middleware(DashboardSession)
  )
  .add(
    HttpApiEndpoint.post("cancel", "/api/api-marketplace/subscriptions/:id/cancel")
      .setPath(ById)
      .setPayload(NoFields)
      .addSuccess(Ok)
      .addError(notFound)
      .annotate(
        OpenApi.Summary,
        "Cancel a subscription, for good and at once; its keys permit nothing any more"
      )
      .annotate(
        OpenApi.Description,
        "Its keys permit nothing from then on. What the company has called of the API goes on counting, in this minute and this month, against a later subscription to it."
      )
      .pipe(answers({ example: examples.cancel, unexpected: "Failed to cancel subscription" }))
      .middleware(DashboardMember)
  )
  .annotate(OpenApi.Title, "Marketplace subscriptions")
  .annotate(OpenApi.Description, "The company's rights to call published APIs, each by a plan.") {}
