/** Recognises a repeated creation under the same Idempotency-Key, and answers it. `key` is derived from `SECRET_KEY`. */
import { hkdfSha256, hmacSha256 } from "../../secrets/digest.ts"
import { tokenFrom } from "../../secrets/token.ts"
import { canonicalJson } from "../../shared/json.ts"
import type { SessionRequest } from "./model.ts"

/** The session's token with the prefix `kyc_sess_`; equal arguments give the same token. */
export const tokenOf = (key: Uint8Array, sessionId: string, idempotencyKey: string): string =>
  tokenFrom("kyc_sess_", hkdfSha256(key, sessionId, idempotencyKey))

/** The token of a resumed session: a retry of its creation gets it instead of the one that no longer works. */
export const resumedTokenOf = (key: Uint8Array, sessionId: string, salt: Uint8Array): string =>
  tokenFrom("kyc_sess_", hkdfSha256(key, sessionId, salt.toHex()))

/**
 * Only fields that are present and not null count, so a new optional field or default does not turn an honest
 * retry into a different request. Keyed: a copy of the database must not confirm a guess of it.
 */
export const fingerprintOf = (key: Uint8Array, companyId: string, request: SessionRequest): Uint8Array => {
  const given = Object.entries(request).filter(([, value]) => value !== undefined && value !== null)
  return hmacSha256(
    hkdfSha256(key, "fingerprint", ""),
    canonicalJson({ companyId, request: Object.fromEntries(given) })
  )
}
