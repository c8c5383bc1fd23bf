import { Data } from "effect"
import type { KeyReason } from "../../keys/errors.ts"

export class PlanNotFound extends Data.TaggedError("PlanNotFound") {}

/** The company has an active subscription to the API. */
export class AlreadySubscribed extends Data.TaggedError("AlreadySubscribed") {}

/** A request with the same Idempotency-Key is still in progress. */
export class RequestInProgress extends Data.TaggedError("RequestInProgress") {}

/** The Idempotency-Key was used for a different request within 24 hours. */
export class IdempotencyKeyReused extends Data.TaggedError("IdempotencyKeyReused") {}

/** The subscription does not exist for this company. */
export class SubscriptionNotFound extends Data.TaggedError("SubscriptionNotFound") {}

/** The subscription was cancelled: it gets no new keys. */
export class SubscriptionCancelled extends Data.TaggedError("SubscriptionCancelled") {}

export class TooManyKeys extends Data.TaggedError("TooManyKeys") {}

/** The key does not exist for this company. */
export class MarketplaceKeyNotFound extends Data.TaggedError("MarketplaceKeyNotFound") {}

/** The key is revoked, expired, or already rotated. */
export class KeyNotRotatable extends Data.TaggedError("KeyNotRotatable") {}

/** No marketplace key, or one that is malformed, unknown, revoked or expired. */
export class InvalidMarketplaceKey extends Data.TaggedError("InvalidMarketplaceKey")<{
  readonly reason: KeyReason
}> {}
