/** By what a document or a person is recognised in other sessions. Imports nothing, because the hosted page loads it. */

/** A number or name as it is compared with those of other sessions: full-width digits, case, spaces and dashes make no difference. */
export const norm = (value: string): string =>
  value
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, "")

/** Documents of two types may share a number. */
interface DocumentIdentity {
  readonly kind: "document"
  /** ISO 3166-1 alpha-3. */
  readonly country: string
  readonly type: string
  readonly number: string
}

/** Weaker than a document, because names are written in many ways. */
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

/** The form fields that identify a person. */
export const personFields = ["givenName", "familyName", "dateOfBirth", "nationality"] as const

const partsOf = (identity: Identity): ReadonlyArray<string> =>
  identity.kind === "document"
    ? [identity.country, identity.type, norm(identity.number)]
    : [
        identity.nationality,
        identity.dateOfBirth.replaceAll("-", ""),
        norm(identity.givenName),
        norm(identity.familyName)
      ]

/** What the key hash is the SHA-256 of. `scope` separates companies. A JSON array, so that no two identities share it. */
export const preimageOf = (scope: string, identity: Identity): string =>
  JSON.stringify(["kyc-dedup", "v1", scope, identity.kind, ...partsOf(identity)])
