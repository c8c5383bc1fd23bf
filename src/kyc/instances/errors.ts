import * as Data from "effect/Data"

/** No such instance for this caller, or one that is disabled. */
export class InstanceNotFound extends Data.TaggedError("InstanceNotFound") {}

/** The company has as many instances as it may have (`QUOTA_INSTANCES`). */
export class TooManyInstances extends Data.TaggedError("TooManyInstances")<{ readonly most: number }> {}

/** The instance belongs to another company than the key. */
export class InstanceForbidden extends Data.TaggedError("InstanceForbidden") {}
