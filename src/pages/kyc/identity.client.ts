/**
 * The key hash by which the same document is known again in another session, without its number leaving the browser for it.
 * The preimage is a JSON array, so that no two different documents are written alike.
 */
import { sha256 } from "./sha256.client.ts"

/** A document number however it was typed: full-width digits, small letters, spaces and dashes make no difference. */
export const norm = (value: string): string =>
  value
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, "")

/** A document as it is told from others: a number alone is not enough, for two types may share it. */
export interface DocumentIdentity {
  /** ISO 3166-1 alpha-3. */
  readonly country: string
  readonly type: string
  readonly number: string
}

/** SHA-256 in lower-case hexadecimal. `scope` separates companies. */
export const keyHash = (scope: string, { country, number, type }: DocumentIdentity): string =>
  sha256(JSON.stringify(["kyc-dedup", "v1", scope, "document", country, type, norm(number)]))
