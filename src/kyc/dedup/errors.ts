import * as Data from "effect/Data"

/** The session has checked as many different hashes as one session may. */
export class TooManyDedupChecks extends Data.TaggedError("TooManyDedupChecks") {}
