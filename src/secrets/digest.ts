import { createHash, createHmac, timingSafeEqual } from "node:crypto"

/** SHA-256 of the text as UTF-8. */
export const sha256 = (text: string): Uint8Array => createHash("sha256").update(text).digest()

/** HMAC-SHA-256 (RFC 2104) of the text as UTF-8. */
export const hmacSha256 = (key: Uint8Array, text: string): Uint8Array =>
  createHmac("sha256", key).update(text).digest()

/** Whether two texts are the same, in a time that does not tell how far they are. */
export const sameText = (left: string, right: string): boolean => timingSafeEqual(sha256(left), sha256(right))
