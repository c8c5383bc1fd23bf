/** Checks receipts in the browser, with the keys that this origin publishes. */
import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet } from "jose"
import type { Receipt } from "../../../kyc/receipts/receipt-model.ts"
import { receiptType } from "../../../kyc/receipts/type-model.ts"

export type Checked =
  | { readonly kind: "valid"; readonly receipt: Receipt }
  | { readonly kind: "invalid" }
  /** Offline, a browser that does not know the algorithm, or a file that cannot be read. */
  | { readonly kind: "unchecked" }

const invalid = { kind: "invalid" } as const
export const unchecked = { kind: "unchecked" } as const

const publishedKeys = async (): Promise<JSONWebKeySet> => {
  const response = await fetch("/.well-known/doorlock-receipts.json", { credentials: "omit" })
  if (!response.ok) throw new Error(`The keys were not sent: ${response.status}`)
  return response.json()
}

/** jose's other failures are those of the browser. */
const isOfReceipt = (error: unknown): boolean =>
  error instanceof errors.JWSInvalid ||
  error instanceof errors.JWSSignatureVerificationFailed ||
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JOSEAlgNotAllowed

const options = { algorithms: ["EdDSA"] }

/** Rejects if none of the keys signed the text. A text that does not name its key is tried with each of them. */
const verified = async (text: string, keys: JSONWebKeySet) => {
  try {
    return await compactVerify(text, createLocalJWKSet(keys), options)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return await compactVerify(text, key, options)
      } catch (cause) {
        if (!(cause instanceof errors.JWSSignatureVerificationFailed)) throw cause
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/** @param text a compact JWS; may have white space around it */
export const check = async (text: string): Promise<Checked> => {
  try {
    const { payload, protectedHeader } = await verified(text.trim(), await publishedKeys())
    // What one of our keys signed as a receipt is one.
    if (protectedHeader.typ !== receiptType) return invalid
    return { kind: "valid", receipt: JSON.parse(new TextDecoder().decode(payload)) }
  } catch (error) {
    return isOfReceipt(error) ? invalid : unchecked
  }
}
