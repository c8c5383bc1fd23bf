/**
 * Signatures of Standard Webhooks 1.0.0. They sign `{id}.{timestamp}.{body}`, so an id contains no full stop.
 *
 * - `v1`: HMAC-SHA-256 with a secret, `whsec_` and the base64 of 24 to 64 bytes, which the receiver has too.
 * - `v1a`: ed25519 (RFC 8032) with a private key, `whsk_` and the base64 of its 32 bytes. The receiver has the public key, `whpk_`.
 */
import { createHmac, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from "node:crypto"

/** The scheme by which an endpoint's deliveries are signed. */
export type Scheme = "v1" | "v1a"

const prefixes = { v1: "whsec_", v1a: "whsk_" } as const
const publicPrefix = "whpk_"

/** What precedes the 32 bytes of an ed25519 private key in PKCS #8, DER (RFC 8410, section 7). */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex")
const keyLength = 32

/** A new secret (`whsec_...`, 256 random bits) or private key (`whsk_...`). */
export const newSecret = (scheme: Scheme): string =>
  prefixes[scheme] + randomBytes(keyLength).toString("base64")

const privateKey = (secret: string): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([pkcs8Head, Buffer.from(secret.slice(prefixes.v1a.length), "base64")]),
    format: "der",
    type: "pkcs8"
  })

/** The public key (`whpk_...`) of a private key (`whsk_...`). */
export const publicKeyOf = (secret: string): string =>
  publicPrefix +
  createPublicKey(privateKey(secret))
    .export({ format: "der", type: "spki" })
    .subarray(-keyLength)
    .toString("base64")

/** Returns one signature of a content, such as `v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=`. */
const signer = (secret: string): ((content: string) => string) => {
  if (secret.startsWith(prefixes.v1a)) {
    const key = privateKey(secret)
    return (content) => `v1a,${sign(null, Buffer.from(content), key).toString("base64")}`
  }
  const key = Buffer.from(secret.slice(prefixes.v1.length), "base64")
  return (content) => `v1,${createHmac("sha256", key).update(content).digest("base64")}`
}

/**
 * The value of `webhook-signature`: one signature per secret, separated by spaces.
 * @param id the value of `webhook-id`
 * @param timestamp the value of `webhook-timestamp`: when this attempt begins, in whole seconds since 1970
 * @param body the body, which is sent in UTF-8
 */
export type Sign = (id: string, timestamp: number, body: string) => string

/**
 * Signs for receivers that know at least one of the secrets or its public key.
 * @param secrets as made by `newSecret`; each is decoded once
 */
export const signWith = (secrets: ReadonlyArray<string>): Sign => {
  const signers = secrets.map(signer)
  return (id, timestamp, body) => signers.map((one) => one(`${id}.${timestamp}.${body}`)).join(" ")
}

/** The headers that Standard Webhooks names. */
export const signedHeaders = (sign: Sign, id: string, timestamp: number, body: string) => ({
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": sign(id, timestamp, body)
})

/** Whole seconds since 1970, as signatures have them. */
export const secondsOf = (milliseconds: number): number => Math.floor(milliseconds / 1000)
