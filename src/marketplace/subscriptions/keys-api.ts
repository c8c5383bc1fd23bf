import { Schema } from "effect"
import { user } from "../../accounts/guards.ts"
import { fails } from "../../http/contract/error-responses.ts"
import { integer, nameText, optionalNullable, refusing, required } from "../../http/contract/fields.ts"
import { created, route, routeGroup } from "../../http/contract/routes.ts"
import { Ok } from "../../shared/schemas.ts"
import {
  KeyNotRotatable,
  MarketplaceKeyNotFound,
  SubscriptionCancelled,
  SubscriptionNotFound,
  TooManyKeys
} from "./errors.ts"
import { keys as examples } from "./examples.ts"
import { KeyMode, listedEnded, MarketplaceKey, maxActiveKeys } from "./model.ts"

const CreateKey = Schema.Struct({
  name: required(nameText("name")),
  mode: optionalNullable(refusing(KeyMode, "mode must be live or test", "key-mode-invalid")).annotations({
    default: "live",
    description: "`test`: calls go to the API's sandbox if it has one, and are never billed."
  })
}).annotations({ identifier: "CreateMarketplaceKey" })

const RotateKey = Schema.Struct({
  graceSeconds: optionalNullable(integer("graceSeconds", 0, 604_800)).annotations({
    default: 86_400,
    description: "How many seconds the old key keeps working."
  })
}).annotations({ identifier: "RotateMarketplaceKey" })

const CreatedKey = Schema.Struct({
  apiKey: MarketplaceKey,
  token: Schema.String.annotations({ description: "The key's secret token. It is returned only once." })
}).annotations({ identifier: "CreatedMarketplaceKey" })

const subscriptionNotFound = fails(SubscriptionNotFound, 404, "Subscription not found")
const keyNotFound = fails(MarketplaceKeyNotFound, 404, "API key not found", { code: "api-key-not-found" })
const cancelled = fails(SubscriptionCancelled, 409, "Subscription is cancelled")

/** Keys of the company's subscriptions (contract.md#marketplace-keys). */
export class MarketplaceKeysApi extends routeGroup(
  "marketplace-keys",
  {
    title: "Marketplace keys",
    description: "Keys for the company's servers to call an API through the gateway.",
    examples
  },
  route("list", "GET /api/api-marketplace/subscriptions/:id/keys", {
    summary: "List a subscription's keys, newest first",
    description: `All keys that have neither expired nor been revoked, and the newest ${listedEnded} of the others.`,
    access: user("read"),
    ids: { id: "the subscription" },
    success: Schema.Struct({ apiKeys: Schema.Array(MarketplaceKey) }),
    errors: [subscriptionNotFound],
    unexpected: "Failed to list API keys",
    compressed: true
  }),
  route("create", "POST /api/api-marketplace/subscriptions/:id/keys", {
    summary: "Create a key; only this response contains its token",
    description:
      "Calls with `dk_live_` keys go to the API's upstream, calls with `dk_test_` keys to its sandbox if it has one.",
    access: user("write"),
    ids: { id: "the subscription" },
    body: CreateKey,
    success: created(CreatedKey),
    errors: [
      subscriptionNotFound,
      cancelled,
      fails(TooManyKeys, 409, `Subscription has ${maxActiveKeys} active keys, the most it may have`)
    ],
    unexpected: "Failed to create API key"
  }),
  route("revoke", "POST /api/api-marketplace/keys/:id/revoke", {
    summary: "Revoke a key, permanently and at once",
    access: user("write"),
    ids: { id: "the key" },
    success: Ok,
    errors: [keyNotFound],
    unexpected: "Failed to revoke key"
  }),
  route("rotate", "POST /api/api-marketplace/keys/:id/rotate", {
    summary: "Replace a key with a new one; the old one keeps working for a while",
    description:
      "The new key has the name and mode of the old one, and expires no later than the old one would have. " +
      "The old key expires after `graceSeconds` (at once if 0), and never later than without rotation.",
    access: user("write"),
    ids: { id: "the key" },
    body: RotateKey,
    success: created(CreatedKey),
    errors: [
      keyNotFound,
      cancelled,
      fails(KeyNotRotatable, 409, "API key is revoked, expired or already rotated")
    ],
    unexpected: "Failed to rotate key"
  })
) {}
