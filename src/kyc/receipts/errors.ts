import { Data } from "effect"

/** The end user has not come to the end, so there is nothing to confirm yet. */
export class SessionNotFinished extends Data.TaggedError("SessionNotFinished") {}

/** The receipt was altered, or none of the keys signed it. `message` is a sentence. */
export class ReceiptInvalid extends Data.TaggedError("ReceiptInvalid")<{ readonly message: string }> {}
