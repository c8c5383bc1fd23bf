import { Data } from "effect"

/**
 * The session is not completed or is redacted, or its instance has no review; or its key is missing, and the decision needs it for a
 * note or for answers that are carried over.
 */
export class SessionNotReviewable extends Data.TaggedError("SessionNotReviewable") {}

export class SessionAlreadyDecided extends Data.TaggedError("SessionAlreadyDecided") {}

/** Somebody else has claimed the session. */
export class SessionClaimed extends Data.TaggedError("SessionClaimed")<{ readonly userId: string }> {}

/** With four eyes, whoever proposed a decision cannot confirm it, and whoever was shown a link to the session decides nothing. */
export class AnotherPersonNeeded extends Data.TaggedError("AnotherPersonNeeded") {}

/** The review of the session has asked for no step again, so there is no session to link to. */
export class NoResubmission extends Data.TaggedError("NoResubmission") {}

/** A reason is not one of the instance's. */
export class ReasonUnknown extends Data.TaggedError("ReasonUnknown") {}

/** A resubmission names no step, or one that the session's workflow does not have. */
export class StepUnknown extends Data.TaggedError("StepUnknown") {}

/** A session has all the notes that it may have: whoever lists them gets all of them at once. */
export class TooManyNotes extends Data.TaggedError("TooManyNotes") {}
