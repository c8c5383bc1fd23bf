import { Data } from "effect"

export class ApiKeyNotFound extends Data.TaggedError("ApiKeyNotFound") {}

export class KeyCollision extends Data.TaggedError("KeyCollision") {}

/** The company has reached its quota of keys (`QUOTA_API_KEYS`). */
export class TooManyApiKeys extends Data.TaggedError("TooManyApiKeys")<{
  readonly most: number
  /** The full quota: of active keys, or including those that stopped working in the last 90 days. */
  readonly counted: "active" | "all"
}> {}

/** Missing, malformed, unknown, revoked or expired. */
export class InvalidApiKey extends Data.TaggedError("InvalidApiKey") {}

export class ScopeMissing extends Data.TaggedError("ScopeMissing")<{ readonly scope: string }> {}
