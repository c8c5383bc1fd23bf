import * as Data from "effect/Data"

/** No such session, or not its token: the two are never told apart. */
export class SessionNotFound extends Data.TaggedError("SessionNotFound") {}

/** The session's time has passed. */
export class SessionExpired extends Data.TaggedError("SessionExpired") {}

/** The session is completed, failed or cancelled: these are final. */
export class SessionNotUpdatable extends Data.TaggedError("SessionNotUpdatable") {}

/** The stored progress would be larger than is kept; nothing was changed. */
export class ProgressTooLarge extends Data.TaggedError("ProgressTooLarge") {}

/** The Idempotency-Key was used within the last 24 hours, with a different body. */
export class CreationKeyReused extends Data.TaggedError("CreationKeyReused") {}

/** `dev` sessions are refused here (`KYC_DEV_MODE=refuse`). */
export class DevModeRefused extends Data.TaggedError("DevModeRefused") {}
