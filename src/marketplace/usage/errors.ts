import * as Data from "effect/Data"

/** A period that ends before it begins. */
export class PeriodReversed extends Data.TaggedError("PeriodReversed") {}

/** A period of more days than are added up at once. */
export class PeriodTooLong extends Data.TaggedError("PeriodTooLong") {}
