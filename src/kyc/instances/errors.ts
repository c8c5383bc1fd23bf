import { Data } from "effect"

/** The instance does not exist for this caller, or is disabled. */
export class InstanceNotFound extends Data.TaggedError("InstanceNotFound") {}

/** The company has reached its quota of instances (`QUOTA_INSTANCES`). */
export class TooManyInstances extends Data.TaggedError("TooManyInstances")<{ readonly most: number }> {}

/** The instance belongs to another company than the key. */
export class InstanceForbidden extends Data.TaggedError("InstanceForbidden") {}
