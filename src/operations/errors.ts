import { Data } from "effect"

/** The process is stopping, or its database does not respond. */
export class NotReady extends Data.TaggedError("NotReady") {}

/** The client may not read the metrics, and must not learn that they exist. */
export class MetricsHidden extends Data.TaggedError("MetricsHidden") {}
