import { Data } from "effect"

/** The session has reached its limit of different hashes. */
export class TooManyDedupChecks extends Data.TaggedError("TooManyDedupChecks") {}
