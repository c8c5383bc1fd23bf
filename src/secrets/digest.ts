import { hkdfSync, timingSafeEqual } from "node:crypto"

/** SHA-256 of a text in UTF-8. A `Buffer`, which the database's driver sends as it is. */
export const sha256 = (text: string): Uint8Array => {
  const digest = Buffer.alloc(32)
  Bun.SHA256.hash(text, digest)
  return digest
}

/** The same digest as base64, without an intermediate byte array. */
export const sha256Text = (text: string): string => Bun.SHA256.hash(text, "base64")

/** HMAC-SHA-256 (RFC 2104) of a text in UTF-8. */
export const hmacSha256 = (key: Uint8Array, text: string): Uint8Array =>
  new Bun.CryptoHasher("sha256", key).update(text).digest()

/** 32 bytes from HKDF-SHA-256 (RFC 5869); texts are read as UTF-8. */
export const hkdfSha256 = (key: Uint8Array | string, salt: Uint8Array | string, info: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", key, salt, info, 32))

/** Compares in a time that does not reveal how much matches. */
export const sameText = (left: string, right: string): boolean => timingSafeEqual(sha256(left), sha256(right))
