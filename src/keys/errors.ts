import * as Data from "effect/Data"

/** The key does not exist for this company. */
export class ApiKeyNotFound extends Data.TaggedError("ApiKeyNotFound") {}

/** The generated token was already in use: another try makes another token. */
export class KeyCollision extends Data.TaggedError("KeyCollision") {}

/** The company has as many keys as it may have (`QUOTA_API_KEYS`). */
export class TooManyApiKeys extends Data.TaggedError("TooManyApiKeys")<{
  readonly most: number
  /** Of which there are as many: keys that work, or with those that stopped in the last 90 days. */
  readonly counted: "active" | "all"
}> {}

/** No platform key, or one that is malformed, unknown, revoked or expired. */
export class InvalidApiKey extends Data.TaggedError("InvalidApiKey") {}

/** The platform key is good but may not do this. */
export class ScopeMissing extends Data.TaggedError("ScopeMissing")<{ readonly scope: string }> {}
