import { Data } from "effect"

/** The period ends before it begins. */
export class PeriodReversed extends Data.TaggedError("PeriodReversed") {}

/** The period has more days than one request may cover. */
export class PeriodTooLong extends Data.TaggedError("PeriodTooLong") {}
