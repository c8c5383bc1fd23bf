import * as Data from "effect/Data"

/** The API has no such plan. */
export class PlanNotFound extends Data.TaggedError("PlanNotFound") {}

/** The company has an active subscription to the API. */
export class AlreadySubscribed extends Data.TaggedError("AlreadySubscribed") {}

/** A request with the same Idempotency-Key has not been answered yet. */
export class RequestInProgress extends Data.TaggedError("RequestInProgress") {}

/** The Idempotency-Key was used within 24 hours, for something else. */
export class IdempotencyKeyReused extends Data.TaggedError("IdempotencyKeyReused") {}

/** The subscription does not exist for this company. */
export class SubscriptionNotFound extends Data.TaggedError("SubscriptionNotFound") {}

/** The subscription has ended: it gets no keys any more. */
export class SubscriptionCancelled extends Data.TaggedError("SubscriptionCancelled") {}

/** The subscription has as many active keys as it may. */
export class TooManyKeys extends Data.TaggedError("TooManyKeys") {}

/** The key does not exist for this company. */
export class MarketplaceKeyNotFound extends Data.TaggedError("MarketplaceKeyNotFound") {}

/** The key has come to its end, or a rotation has given it one. */
export class KeyNotRotatable extends Data.TaggedError("KeyNotRotatable") {}

/** No marketplace key, or one that is malformed, unknown, revoked or expired. */
export class InvalidMarketplaceKey extends Data.TaggedError("InvalidMarketplaceKey") {}
