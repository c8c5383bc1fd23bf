import * as Data from "effect/Data"

/** The process is stopping, or its database does not answer. */
export class NotReady extends Data.TaggedError("NotReady") {}
