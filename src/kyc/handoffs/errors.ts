import * as Data from "effect/Data"

/** The session's instance has hand-offs turned off. */
export class HandoffDisabled extends Data.TaggedError("HandoffDisabled") {}

/** The session has had as many hand-offs as one session may. */
export class TooManyHandoffs extends Data.TaggedError("TooManyHandoffs") {}

/** Another device was first. */
export class HandoffClaimed extends Data.TaggedError("HandoffClaimed") {}

/** The device confirms what it has not claimed. */
export class HandoffNotClaimed extends Data.TaggedError("HandoffNotClaimed") {}

/** The session has gone over to the other device. */
export class HandoffConfirmed extends Data.TaggedError("HandoffConfirmed") {}

/** Its ten minutes have passed. */
export class HandoffExpired extends Data.TaggedError("HandoffExpired") {}

/** It was cancelled on the first device, replaced by another, or ended by a wrong code. */
export class HandoffCancelled extends Data.TaggedError("HandoffCancelled") {}

/** Not the code that the first device shows. There is no second try. */
export class WrongMatchingCode extends Data.TaggedError("WrongMatchingCode") {}
