/** AES-256-GCM (NIST SP 800-38D), synchronous: for texts of a few kilobytes, a thread would cost more than the encryption. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"

const cipher = "aes-256-gcm"
const nonceLength = 12
const tagLength = 16

/**
 * Returns nonce, ciphertext and tag.
 * @param key 32 bytes
 * @param associatedData must be the same when the data is opened
 */
export const encrypt = (key: Uint8Array, plaintext: string | Uint8Array, associatedData: string): Buffer => {
  const nonce = randomBytes(nonceLength)
  const encrypting = createCipheriv(cipher, key, nonce, { authTagLength: tagLength })
  encrypting.setAAD(Buffer.from(associatedData))
  const body =
    typeof plaintext === "string" ? encrypting.update(plaintext, "utf8") : encrypting.update(plaintext)
  // GCM keeps nothing back for `final`, but the tag exists only after it.
  encrypting.final()
  return Buffer.concat([nonce, body, encrypting.getAuthTag()])
}

/** Throws if the key, the data or the associated data is not the original. */
export const decrypt = (key: Uint8Array, sealed: Uint8Array, associatedData: string): Buffer => {
  const decrypting = createDecipheriv(cipher, key, sealed.subarray(0, nonceLength), {
    authTagLength: tagLength
  })
  decrypting.setAAD(Buffer.from(associatedData))
  decrypting.setAuthTag(sealed.subarray(-tagLength))
  const body = decrypting.update(sealed.subarray(nonceLength, -tagLength))
  decrypting.final()
  return body
}
