import { sha256 } from "../../secrets/digest.ts"
import { parseId } from "../../secrets/identifier.ts"

/**
 * The UUID of an `Idempotency-Key` header in its canonical form, or undefined when it is none: as it is, or in
 * quotes, as the structured field of draft-ietf-httpapi-idempotency-key-header has it.
 */
export const parseIdempotencyKey = (header: string): string | undefined =>
  parseId(/^"(.*)"$/.exec(header)?.[1] ?? header)

/** Whose a request is, and which of theirs: what an answer is kept by. */
export interface RequestIdentity {
  readonly companyId: string
  /** Method and pattern. */
  readonly route: string
  /** SHA-256 of the Idempotency-Key: who has the key itself can have the secret. */
  readonly keyHash: Uint8Array
}

export const requestIdentity = (companyId: string, route: string, key: string): RequestIdentity => ({
  companyId,
  route,
  keyHash: sha256(key)
})

/** The number of the advisory lock under which the request is worked on: 64 bits, as Postgres wants them. */
export const lockOf = ({ companyId, keyHash, route }: RequestIdentity): string =>
  Buffer.from(sha256(JSON.stringify([companyId, route, Buffer.from(keyHash).toString("hex")])))
    .readBigInt64BE()
    .toString()

/** SHA-256 of what a request asks for, in its canonical form. */
export const fingerprint = (...asked: ReadonlyArray<string>): Uint8Array => sha256(JSON.stringify(asked))
