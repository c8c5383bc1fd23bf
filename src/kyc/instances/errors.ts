import * as Data from "effect/Data"

/** No such instance for this caller, or one that is disabled. */
export class InstanceNotFound extends Data.TaggedError("InstanceNotFound") {}

/** The instance belongs to another company than the key. */
export class InstanceForbidden extends Data.TaggedError("InstanceForbidden") {}
