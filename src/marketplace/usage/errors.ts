import { Data } from "effect"

export class PeriodReversed extends Data.TaggedError("PeriodReversed") {}

export class PeriodTooLong extends Data.TaggedError("PeriodTooLong") {}
