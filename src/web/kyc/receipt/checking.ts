/** Checks receipts in the browser, with the keys that this origin publishes. */
import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet } from "jose"
import type { Receipt } from "../../../kyc/receipts/receipt-model.ts"
import { receiptType } from "../../../kyc/receipts/type-model.ts"

export type Checked =
  | { readonly kind: "valid"; readonly receipt: Receipt }
  | { readonly kind: "invalid" }
  /** Offline, or a browser that does not know the algorithm. */
  | { readonly kind: "unchecked" }

const invalid = { kind: "invalid" } as const
const unchecked = { kind: "unchecked" } as const

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

/** @param text a compact JWS; may have white space around it */
export const check = async (text: string): Promise<Checked> => {
  try {
    const { payload, protectedHeader } = await compactVerify(
      text.trim(),
      createLocalJWKSet(await publishedKeys()),
      { algorithms: ["EdDSA"] }
    )
    // What one of our keys signed as a receipt is one.
    if (protectedHeader.typ !== receiptType) return invalid
    return { kind: "valid", receipt: JSON.parse(new TextDecoder().decode(payload)) }
  } catch (error) {
    return isOfReceipt(error) ? invalid : unchecked
  }
}
