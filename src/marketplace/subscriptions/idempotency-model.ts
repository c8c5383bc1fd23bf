import { sha256 } from "../../secrets/digest.ts"
import { parseId } from "../../shared/identifier.ts"

/** The UUID in canonical form, given plain or in quotes (draft-ietf-httpapi-idempotency-key-header). */
export const parseIdempotencyKey = (header: string): string | undefined =>
  parseId(/^"(.*)"$/.exec(header)?.[1] ?? header)

/** Identifies a request: the key under which its response is stored. */
export interface RequestIdentity {
  readonly companyId: string
  /** Method and path pattern. */
  readonly route: string
  /** SHA-256 of the Idempotency-Key: anybody with the key itself could obtain the secret. */
  readonly keyHash: Uint8Array
}

export const requestIdentity = (companyId: string, route: string, key: string): RequestIdentity => ({
  companyId,
  route,
  keyHash: sha256(key)
})

/** The number of the request's advisory lock: 64 bits, as Postgres requires. */
export const lockOf = ({ companyId, keyHash, route }: RequestIdentity): string =>
  Buffer.from(sha256(JSON.stringify([companyId, route, Buffer.from(keyHash).toString("hex")])))
    .readBigInt64BE()
    .toString()

/** SHA-256 of a request's content, in canonical form. */
export const fingerprint = (...asked: ReadonlyArray<string>): Uint8Array => sha256(JSON.stringify(asked))
