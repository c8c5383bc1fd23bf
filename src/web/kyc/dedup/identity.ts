/**
 * The key hash by which the same document or person is known again in another session, without a number or name leaving the
 * browser for it. The preimage is a JSON array, so that no two different ones are written alike.
 */
import { sha256 } from "../sha256.ts"

/** A number or name however it was typed: full-width digits, small letters, spaces and dashes make no difference. */
export const norm = (value: string): string =>
  value
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, "")

/** A document as it is told from others: a number alone is not enough, for two types may share it. */
interface DocumentIdentity {
  readonly kind: "document"
  /** ISO 3166-1 alpha-3. */
  readonly country: string
  readonly type: string
  readonly number: string
}

/** A person by name and birth: weaker than a document, for names are written in many ways. */
export interface PersonIdentity {
  readonly kind: "person"
  /** ISO 3166-1 alpha-3. */
  readonly nationality: string
  /** `YYYY-MM-DD` */
  readonly dateOfBirth: string
  readonly givenName: string
  readonly familyName: string
}

export type Identity = DocumentIdentity | PersonIdentity

/** The fields of a form that a person is known again by. */
export const personFields = ["givenName", "familyName", "dateOfBirth", "nationality"] as const

/** Where the answer of a form keeps what was found; no field can be called so. */
export const foundKey = "$dedup"

const partsOf = (identity: Identity): ReadonlyArray<string> =>
  identity.kind === "document"
    ? [identity.country, identity.type, norm(identity.number)]
    : [
        identity.nationality,
        identity.dateOfBirth.replaceAll("-", ""),
        norm(identity.givenName),
        norm(identity.familyName)
      ]

/** SHA-256 in lower-case hexadecimal. `scope` separates companies. */
export const keyHash = (scope: string, identity: Identity): string =>
  sha256(JSON.stringify(["kyc-dedup", "v1", scope, identity.kind, ...partsOf(identity)]))
