import * as Data from "effect/Data"

/** The company has no such subscription. */
export class SubscriptionNotFound extends Data.TaggedError("SubscriptionNotFound") {}

/** The company publishes no such API. */
export class ApiNotFound extends Data.TaggedError("ApiNotFound") {}

/** A period that ends before it begins. */
export class PeriodReversed extends Data.TaggedError("PeriodReversed") {}

/** A period of more days than are added up at once. */
export class PeriodTooLong extends Data.TaggedError("PeriodTooLong") {}
