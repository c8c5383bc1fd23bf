import { Data } from "effect"

/** The session does not exist or the token is wrong; the two are indistinguishable. */
export class SessionNotFound extends Data.TaggedError("SessionNotFound") {}

export const noSession = () => new SessionNotFound()

export class SessionExpired extends Data.TaggedError("SessionExpired") {}

/** The session is completed, failed, cancelled or redacted, which is final. */
export class SessionNotUpdatable extends Data.TaggedError("SessionNotUpdatable") {}

/** The stored progress would exceed its maximum size; nothing was changed. */
export class ProgressTooLarge extends Data.TaggedError("ProgressTooLarge") {}

/** The Idempotency-Key was used in the last 24 hours with a different body. */
export class CreationKeyReused extends Data.TaggedError("CreationKeyReused") {}

/** `dev` sessions are refused here (`KYC_DEV_MODE=refuse`). */
export class DevModeRefused extends Data.TaggedError("DevModeRefused") {}

/** Another `SECRET_KEY` sealed personal data in the database. */
export class OtherSecretKey extends Data.TaggedError("OtherSecretKey")<{
  /** One of the sessions whose data cannot be read. */
  readonly sessionId: string
  /** The id of the secret that sealed its key. */
  readonly sealedWith: string
}> {
  override get message(): string {
    return `SECRET_KEY is not the key that sealed the personal data in this database, such as that of the session ${this.sessionId} (sealed_with ${this.sealedWith}): set SECRET_KEY to that key, or SECRET_KEY_PREVIOUS while you rotate it`
  }
}
