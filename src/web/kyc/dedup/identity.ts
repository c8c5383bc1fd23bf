/** The key hash that recognises a document or person: no number or name leaves the browser for this. */
import { norm } from "../../../kyc/dedup/norm-model.ts"
import { sha256 } from "../sha256.ts"

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

/** Where a form's answer stores the result of the check; no field can have this name. */
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

/** `scope` separates companies. Hashes a JSON array, so that no two identities share a preimage. */
export const keyHash = (scope: string, identity: Identity): string =>
  sha256(JSON.stringify(["kyc-dedup", "v1", scope, identity.kind, ...partsOf(identity)]))
