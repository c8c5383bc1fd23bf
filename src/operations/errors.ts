import * as Data from "effect/Data"

/** The process is stopping, or its database does not answer. */
export class NotReady extends Data.TaggedError("NotReady") {}

/** Whoever asks for the metrics may not read them, and does not learn that there are any. */
export class MetricsHidden extends Data.TaggedError("MetricsHidden") {}
