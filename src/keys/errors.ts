import { Data } from "effect"

export class ApiKeyNotFound extends Data.TaggedError("ApiKeyNotFound") {}

export class KeyCollision extends Data.TaggedError("KeyCollision") {}

/** The company has reached its quota of keys (`QUOTA_API_KEYS`). */
export class TooManyApiKeys extends Data.TaggedError("TooManyApiKeys")<{
  readonly most: number
  /** The full quota: of active keys, or including those that stopped working in the last 90 days. */
  readonly counted: "active" | "all"
}> {}

/** Why a key is not valid. Only who has the whole token of a key learns that it has expired or is revoked. */
export const keyReasons = [
  "key-missing",
  "key-malformed",
  "wrong-kind-of-key",
  "key-unknown",
  "key-expired",
  "key-revoked"
] as const
export type KeyReason = (typeof keyReasons)[number]

export class InvalidApiKey extends Data.TaggedError("InvalidApiKey")<{ readonly reason: KeyReason }> {}

export class ScopeMissing extends Data.TaggedError("ScopeMissing")<{ readonly scope: string }> {}
