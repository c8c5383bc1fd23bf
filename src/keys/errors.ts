import { Data } from "effect"

/** The company has no such key. */
export class ApiKeyNotFound extends Data.TaggedError("ApiKeyNotFound") {}

/** The generated token already exists; a retry generates another. */
export class KeyCollision extends Data.TaggedError("KeyCollision") {}

/** The company has reached its quota of keys (`QUOTA_API_KEYS`). */
export class TooManyApiKeys extends Data.TaggedError("TooManyApiKeys")<{
  readonly most: number
  /** Which quota is full: the one for active keys, or the one that includes keys that stopped working in the last 90 days. */
  readonly counted: "active" | "all"
}> {}

/** The platform key is missing, malformed, unknown, revoked or expired. */
export class InvalidApiKey extends Data.TaggedError("InvalidApiKey") {}

/** The platform key is valid but lacks the scope. */
export class ScopeMissing extends Data.TaggedError("ScopeMissing")<{ readonly scope: string }> {}
