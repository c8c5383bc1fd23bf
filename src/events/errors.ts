import { Data } from "effect"

/** The company has no such event, or it is more than 30 days old. */
export class EventNotFound extends Data.TaggedError("EventNotFound") {}

/** The cursor points to events that are no longer stored, or that a restored backup does not have. */
export class CursorTooOld extends Data.TaggedError("CursorTooOld") {}
