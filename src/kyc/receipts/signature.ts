/** Signs receipts, and verifies them without doorlock's database: compact JWS (RFC 7515) with ed25519 (RFC 8037). */
import { generateKeyPairSync } from "node:crypto"
import { CompactSign, compactVerify, createLocalJWKSet, type JSONWebKeySet } from "jose"
import { decodeReceipt, encodeReceipt, type Receipt } from "./receipt-model.ts"
import { receiptType } from "./type-model.ts"

/** A private key as a JWK; `x` is its public part, and `d` the secret. */
export interface PrivateKey {
  readonly kty: "OKP"
  readonly crv: "Ed25519"
  readonly x: string
  readonly d: string
}

export const newKey = (): PrivateKey => {
  const { d = "", x = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" })
  return { kty: "OKP", crv: "Ed25519", x, d }
}

/** A public key as it is published. @param x the 32 bytes of the key in base64url */
export const publicKey = (kid: string, x: string) =>
  ({ kty: "OKP", crv: "Ed25519", x, kid, use: "sig", alg: "EdDSA" }) as const

export const sign = (receipt: Receipt, kid: string, key: PrivateKey): Promise<string> =>
  new CompactSign(new TextEncoder().encode(encodeReceipt(receipt)))
    .setProtectedHeader({ alg: "EdDSA", kid, typ: receiptType })
    .sign({ ...key, alg: "EdDSA" })

/** The receipt, if one of the keys signed exactly these bytes. Rejects otherwise. */
export const verify = async (text: string, keys: JSONWebKeySet): Promise<Receipt> => {
  const { payload, protectedHeader } = await compactVerify(text.trim(), createLocalJWKSet(keys), {
    algorithms: ["EdDSA"]
  })
  if (protectedHeader.typ !== receiptType) throw new Error("it is something else than a receipt")
  const decoded = decodeReceipt(new TextDecoder().decode(payload))
  if (decoded._tag === "Left") throw new Error("it has another format")
  return decoded.right
}
