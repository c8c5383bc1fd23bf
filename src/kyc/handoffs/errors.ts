import { Data } from "effect"

export class HandoffDisabled extends Data.TaggedError("HandoffDisabled") {}

export class TooManyHandoffs extends Data.TaggedError("TooManyHandoffs") {}

/** Another device has claimed the handoff. */
export class HandoffClaimed extends Data.TaggedError("HandoffClaimed") {}

/** This device has not claimed the handoff. */
export class HandoffNotClaimed extends Data.TaggedError("HandoffNotClaimed") {}

/** The session has already moved to the other device. */
export class HandoffConfirmed extends Data.TaggedError("HandoffConfirmed") {}

/** Its ten minutes have passed. */
export class HandoffExpired extends Data.TaggedError("HandoffExpired") {}

/** The handoff was cancelled on the first device, replaced by another, or ended by a wrong code. */
export class HandoffCancelled extends Data.TaggedError("HandoffCancelled") {}

/** The code differs from the one on the first device. There is no second try. */
export class WrongMatchingCode extends Data.TaggedError("WrongMatchingCode") {}
