import { Schema } from "effect"
import type { ApiKeyIdentity } from "../audit/model.ts"
import { Timestamp } from "../shared/schemas.ts"

/** A key as its company sees it: only the first characters of the secret. */
export const ApiKey = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  scopes: Schema.Array(Schema.String),
  expiresAt: Schema.NullOr(Timestamp),
  activeNow: Schema.Boolean,
  token_prefix: Schema.String,
  created_at: Timestamp,
  last_used_at: Schema.NullOr(Timestamp),
  revoked_at: Schema.NullOr(Timestamp)
}).annotations({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

/** Statistics (contract.md#key-stats). An expired key is in `total` only. */
export const ApiKeyStats = Schema.Struct({
  total: Schema.Number,
  active: Schema.Number,
  revoked_or_disabled: Schema.Number,
  used_last_24h: Schema.Number
}).annotations({ identifier: "ApiKeyStats" })
export type ApiKeyStats = typeof ApiKeyStats.Type

export interface VerifiedKey extends ApiKeyIdentity {
  readonly scopes: ReadonlyArray<string>
}

/** Keys on a page of the list. */
export const largestPage = 100
