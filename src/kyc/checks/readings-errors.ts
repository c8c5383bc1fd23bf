import { Data } from "effect"

/** The instance does not have the photos of its sessions looked at. */
export class ReadingDisabled extends Data.TaggedError("ReadingDisabled") {}

/** Nobody has asked for a reading of this file. */
export class ReadingNotFound extends Data.TaggedError("ReadingNotFound") {}

/** The session has had as many photos read as it may. */
export class TooManyReadings extends Data.TaggedError("TooManyReadings") {}
