import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { DashboardMember, DashboardSession } from "../../accounts/guards.ts"
import { answers, fails } from "../../http/contract/answers.ts"
import {
  idOf,
  NoFields,
  nameText,
  optionalNullable,
  refusing,
  required,
  unprintableName,
  unstorableText
} from "../../http/contract/fields.ts"
import { Ok } from "../../model.ts"
import {
  KeyNotRotatable,
  MarketplaceKeyNotFound,
  SubscriptionCancelled,
  SubscriptionNotFound,
  TooManyKeys
} from "./errors.ts"
import { examples } from "./examples.ts"
import { KeyMode, listedEnded, MarketplaceKey, maxActiveKeys } from "./model.ts"

const messages = {
  name: "name is required",
  nameLong: "name must be at most 200 characters",
  mode: "mode must be live or test",
  grace: "graceSeconds must be a whole number from 0 to 604800"
} as const

const CreateKey = Schema.Struct({
  name: required(
    nameText({ field: "name", message: messages.name, maxLength: 200, tooLong: messages.nameLong }),
    messages.name
  ),
  mode: optionalNullable(refusing(KeyMode, messages.mode)).annotations({ default: "live" })
}).annotations({ identifier: "CreateMarketplaceKey" })

const RotateKey = Schema.Struct({
  graceSeconds: optionalNullable(
    refusing(Schema.Number.pipe(Schema.int(), Schema.between(0, 604_800)), messages.grace)
  ).annotations({ default: 86_400, description: "How long the old key goes on working." })
}).annotations({ identifier: "RotateMarketplaceKey" })

const CreatedKey = Schema.Struct({
  apiKey: MarketplaceKey,
  token: Schema.String.annotations({ description: "The secret. It is shown here and never again." })
}).annotations({ identifier: "CreatedMarketplaceKey" })

const subscriptionNotFound = fails(SubscriptionNotFound, 404, "Subscription not found")
const keyNotFound = fails(MarketplaceKeyNotFound, 404, "API key not found", { code: "api-key-not-found" })
const cancelled = fails(SubscriptionCancelled, 409, "Subscription is cancelled")
const BySubscription = Schema.Struct({ id: idOf("the subscription") })
const ById = Schema.Struct({ id: idOf("the key") })

/** Keys of the company's subscriptions (contract.md#marketplace-keys). */
export class MarketplaceKeysApi extends HttpApiGroup.make("marketplace-keys")
  .add(
    HttpApiEndpoint.get("list", "/api/api-marketplace/subscriptions/:id/keys")
      .setPath(BySubscription)
      .addSuccess(Schema.Struct({ apiKeys: Schema.Array(MarketplaceKey) }))
      .addError(subscriptionNotFound)
      .annotate(OpenApi.Summary, "List a subscription's keys, newest first")
      .annotate(
        OpenApi.Description,
        `All keys that have neither expired nor been revoked, and the newest ${listedEnded} of the others.`
      )
      .pipe(answers({ example: examples.listKeys, unexpected: "Failed to list API keys", compressed: true }))
      .middleware(DashboardSession)
  )
  .add(
    HttpApiEndpoint.post("create", "/api/api-marketplace/subscriptions/:id/keys")
      .setPath(BySubscription)
      .setPayload(CreateKey)
      .addSuccess(CreatedKey, { status: 201 })
      .addError(subscriptionNotFound)
      .addError(cancelled)
      .addError(
        fails(TooManyKeys, 409, `Subscription has ${maxActiveKeys} active keys, the most it may have`)
      )
      .annotate(OpenApi.Summary, "Create a key; the answer is the only one that carries the secret")
      .annotate(
        OpenApi.Description,
        "`dk_live_` keys go to an API's upstream, `dk_test_` keys to its sandbox, when it has one."
      )
      .pipe(
        answers({
          example: examples.createKey,
          rejects: [
            messages.name,
            messages.nameLong,
            unstorableText("name"),
            unprintableName("name"),
            { message: messages.mode, code: "key-mode-invalid" }
          ],
          unexpected: "Failed to create API key"
        })
      )
      .middleware(DashboardMember)
  )
  .add(
    HttpApiEndpoint.post("revoke", "/api/api-marketplace/keys/:id/revoke")
      .setPath(ById)
      .setPayload(NoFields)
      .addSuccess(Ok)
      .addError(keyNotFound)
      .annotate(OpenApi.Summary, "Revoke a key, for good and at once")
      .pipe(answers({ example: examples.revokeKey, unexpected: "Failed to revoke key" }))
      .middleware(DashboardMember)
  )
  .add(
    HttpApiEndpoint.post("rotate", "/api/api-marketplace/keys/:id/rotate")
      .setPath(ById)
      .setPayload(RotateKey)
      .addSuccess(CreatedKey, { status: 201 })
      .addError(keyNotFound)
      .addError(cancelled)
      .addError(fails(KeyNotRotatable, 409, "API key is revoked, expired or already rotated"))
      .annotate(OpenApi.Summary, "Replace a key by a new one; the old one works on for a while")
      .annotate(
        OpenApi.Description,
        "The new key has the name and mode of the old one and lives no longer than it would have. " +
          "The old one expires after `graceSeconds`, at once if they are 0, and never later than it would have."
      )
      .pipe(
        answers({
          example: examples.rotateKey,
          rejects: [messages.grace],
          unexpected: "Failed to rotate key"
        })
      )
      .middleware(DashboardMember)
  )
  .annotate(OpenApi.Title, "Marketplace keys")
  .annotate(OpenApi.Description, "Keys with which the company's servers call an API through the gateway.") {}
