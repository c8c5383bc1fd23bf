import { Schema } from "effect"
import type { ApiKeyIdentity } from "../audit/model.ts"
import { LastUsedAt, RevokedAt, Timestamp, TokenPrefix } from "../shared/schemas.ts"

/** A key as its company sees it: only the first characters of the secret. */
export const ApiKey = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  scopes: Schema.Array(Schema.String).annotations({
    description:
      "What the key may do, such as `kyc:sessions:create`. `*` is everything; an empty list is nothing."
  }),
  expiresAt: Schema.NullOr(Timestamp).annotations({
    description: "When the key stops working; null if it never expires."
  }),
  activeNow: Schema.Boolean.annotations({
    description: "Whether the key works now: it is neither revoked nor expired."
  }),
  token_prefix: TokenPrefix,
  created_at: Timestamp,
  last_used_at: LastUsedAt,
  revoked_at: RevokedAt
}).annotations({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

/** Statistics (contract.md#key-stats). An expired key is in `total` only. */
export const ApiKeyStats = Schema.Struct({
  total: Schema.Number.annotations({ description: "All keys, including expired and revoked ones." }),
  active: Schema.Number.annotations({ description: "Keys that are neither revoked nor expired." }),
  revoked_or_disabled: Schema.Number.annotations({
    description: "Revoked keys. A key that has only expired is not counted here."
  }),
  used_last_24h: Schema.Number.annotations({ description: "Keys that were used in the last 24 hours." })
}).annotations({ identifier: "ApiKeyStats" })
export type ApiKeyStats = typeof ApiKeyStats.Type

export interface VerifiedKey extends ApiKeyIdentity {
  readonly scopes: ReadonlyArray<string>
}

/** Keys on a page of the list. */
export const largestPage = 100
