import { Schema } from "effect"
import { displayPrefix, type TokenPrefix as TokenStart, tokenHash } from "../../secrets/token.ts"
import { newId } from "../../shared/identifier.ts"
import { LastUsedAt, RevokedAt, Timestamp, TokenPrefix } from "../../shared/schemas.ts"
import { ApiPlan, ApiSlug, PublisherSlug } from "../catalog/model.ts"
import type { PlannedCall } from "../limits/model.ts"
import type { UpstreamKind } from "../usage/model.ts"

export const SubscriptionStatus = Schema.Literal("active", "cancelled").annotations({
  description: "Keys of a `cancelled` subscription do not work."
})

const common = {
  id: Schema.String,
  api_id: Schema.String,
  plan_id: Schema.String,
  status: SubscriptionStatus,
  created_at: Timestamp
}

/** A subscription in the response that creates it (contract.md#subscribing). */
export const NewSubscription = Schema.Struct(common).annotations({ identifier: "NewSubscription" })
export type NewSubscription = typeof NewSubscription.Type

/** The API as shown to a subscriber, even while it is not published. */
const SubscribedApi = Schema.Struct({
  id: Schema.String,
  publisher_slug: PublisherSlug,
  publisher_name: Schema.String,
  slug: ApiSlug,
  name: Schema.String,
  published: Schema.Boolean.annotations({
    description: "If false, the gateway refuses all calls to the API, including those of this subscription."
  })
}).annotations({ identifier: "SubscribedApi" })

/** A company's right to call an API under a plan. */
export const Subscription = Schema.Struct({
  ...common,
  cancelled_at: Schema.NullOr(Timestamp).annotations({ description: "Null while it is active." }),
  api: SubscribedApi,
  plan: ApiPlan
}).annotations({ identifier: "Subscription" })
export type Subscription = typeof Subscription.Type

/** `test` keys go to the sandbox upstream of an API's version, if it has one. */
export const KeyMode = Schema.Literal("live", "test").annotations({
  description: "`test`: calls go to the API's sandbox if it has one, and are never billed."
})
export type KeyMode = typeof KeyMode.Type

export const prefixOf = (mode: KeyMode): TokenStart => `dk_${mode}_`

/** The parts of a new key's row that depend on its token. */
export const keyToMake = (mode: KeyMode, token: string) => ({
  id: newId(),
  tokenHash: tokenHash(token),
  tokenPrefix: displayPrefix(prefixOf(mode), token)
})
export type KeyToMake = ReturnType<typeof keyToMake>

/** A marketplace key as shown to its company, with only the first characters of the secret. */
export const MarketplaceKey = Schema.Struct({
  id: Schema.String,
  subscription_id: Schema.String,
  name: Schema.String,
  mode: KeyMode,
  expiresAt: Schema.NullOr(Timestamp).annotations({
    description: "When a rotated key stops working; null if it never expires."
  }),
  activeNow: Schema.Boolean.annotations({
    description: "Whether the key is neither revoked nor expired, and its subscription is active."
  }),
  token_prefix: TokenPrefix,
  created_at: Timestamp,
  last_used_at: LastUsedAt,
  revoked_at: RevokedAt,
  rotated_to: Schema.NullOr(Schema.String).annotations({
    description: "The id of the key that replaces it; null if it was not rotated."
  })
}).annotations({ identifier: "MarketplaceKey" })
export type MarketplaceKey = typeof MarketplaceKey.Type

/** The response to a subscribe request, without the token. */
export const Subscribed = Schema.Struct({ subscription: NewSubscription, apiKey: MarketplaceKey })
export type Subscribed = typeof Subscribed.Type

/** Maximum number of active keys per subscription. Rotated keys in their grace period do not count. */
export const maxActiveKeys = 50

/** How many ended keys or subscriptions a list shows, newest first: their number is unbounded. */
export const listedEnded = 100

/** A key, and its plan's limits. */
export const FoundKey = Schema.Struct({
  keyId: Schema.String,
  subscriptionId: Schema.String,
  companyId: Schema.String,
  apiId: Schema.String,
  mode: KeyMode,
  /** False if the subscription is cancelled: the key is valid, but permits nothing. */
  subscriptionActive: Schema.Boolean,
  requestsPerMinute: Schema.NullOr(Schema.Number),
  requestsPerMonth: Schema.NullOr(Schema.Number),
  /** Milliseconds until the key expires, by the database's clock. */
  remainingMillis: Schema.NullOr(Schema.Number),
  /** Why it is not valid; null if it is. */
  reason: Schema.NullOr(Schema.Literal("key-revoked", "key-expired"))
})
export type FoundKey = typeof FoundKey.Type

/** What the gateway needs to know about the key of a call. */
export interface VerifiedMarketplaceKey
  extends Omit<FoundKey, "reason" | "remainingMillis" | "requestsPerMinute" | "requestsPerMonth"> {
  /** Its calls as the plan limits them, by where they go. */
  readonly calls: Readonly<Record<UpstreamKind, PlannedCall>>
}
