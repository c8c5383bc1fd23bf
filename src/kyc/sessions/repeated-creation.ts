/**
 * What a creation with an Idempotency-Key is known again by. Nothing of it is stored but hashes: `key` is derived from
 * `SECRET_KEY` for the purpose `kyc-session`.
 */
import { isJsonObject, type JsonObject } from "../../model.ts"
import { hkdfSha256, hmacSha256 } from "../../secrets/digest.ts"
import { tokenFrom } from "../../secrets/token.ts"
import type { Mode } from "./model.ts"

export interface SessionRequest {
  /** At least one of the two; both must name the same instance. */
  readonly instanceId?: string | undefined
  readonly instanceKey?: string | undefined
  readonly externalReference?: string | null | undefined
  readonly expiresInSeconds?: number | undefined
  readonly successRedirectUrl?: string | undefined
  readonly failureRedirectUrl?: string | undefined
  readonly metadata?: JsonObject | null | undefined
  readonly mode?: Mode | undefined
}

/** Compact JSON in which the order of an object's fields does not show. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner
  )

/** The session's token: `kyc_sess_`, and the same for the same three. */
export const tokenOf = (key: Uint8Array, sessionId: string, idempotencyKey: string): string =>
  tokenFrom("kyc_sess_", hkdfSha256(key, sessionId, idempotencyKey))

/**
 * 32 bytes that are the same for the same request. Only what was given and is not null counts: a field that is added later, or
 * another default, does not make an honest retry a different request.
 *
 * Keyed, for what is asked for may be guessed: a copy of the database does not confirm a guess.
 */
export const fingerprintOf = (key: Uint8Array, companyId: string, request: SessionRequest): Uint8Array => {
  const given = Object.entries(request).filter(([, value]) => value !== undefined && value !== null)
  return hmacSha256(
    hkdfSha256(key, "fingerprint", ""),
    canonicalJson({ companyId, request: Object.fromEntries(given) })
  )
}
