import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { Data, Effect } from "effect"
import { hkdfSha256 } from "./digest.ts"
import { SecretKey } from "./secret-key.ts"

/** The purpose of sealed data. Data sealed for one purpose does not open for another. */
export type SealPurpose = "kyc-handoff"

/** The secret, purpose, associated data or `SECRET_KEY` differs from when the data was sealed, or the data was changed. */
export class SealBroken extends Data.TaggedError("SealBroken") {}

const cipher = "aes-256-gcm"
const nonceLength = 12
const tagLength = 16

/**
 * Encrypts data that only the holder of a secret may read: AES-256-GCM (NIST SP 800-38D) with a key that HKDF-SHA-256
 * (RFC 5869) derives from the secret, salted with a key derived from `SECRET_KEY`. Neither a copy of the database nor
 * the database together with `SECRET_KEY` is enough to decrypt it.
 */
export class Seal extends Effect.Service<Seal>()("Seal", {
  effect: Effect.gen(function* () {
    const secretKey = yield* SecretKey
    const ownSalt = secretKey.derive("seal")
    const acceptedSalts = secretKey.accepted("seal")

    /**
     * Returns nonce, ciphertext and tag, in this order.
     *
     * @param secret at least 128 random bits: a password could be guessed
     * @param associatedData must be the same when the data is opened, such as the id of its row
     */
    const seal = (
      purpose: SealPurpose,
      secret: string,
      plaintext: string,
      associatedData: string
    ): Uint8Array => {
      const nonce = randomBytes(nonceLength)
      const encrypting = createCipheriv(cipher, hkdfSha256(secret, ownSalt, purpose), nonce, {
        authTagLength: tagLength
      })
      encrypting.setAAD(Buffer.from(associatedData))
      const body = Buffer.concat([encrypting.update(plaintext, "utf8"), encrypting.final()])
      return Buffer.concat([nonce, body, encrypting.getAuthTag()])
    }

    /** Decrypts sealed data. Fails with `SealBroken` without saying why. */
    const open = (
      purpose: SealPurpose,
      secret: string,
      sealed: Uint8Array,
      associatedData: string
    ): Effect.Effect<string, SealBroken> => {
      const openWith = (salt: Uint8Array): string => {
        const decrypting = createDecipheriv(
          cipher,
          hkdfSha256(secret, salt, purpose),
          sealed.subarray(0, nonceLength),
          { authTagLength: tagLength }
        )
        decrypting.setAAD(Buffer.from(associatedData))
        decrypting.setAuthTag(sealed.subarray(-tagLength))
        const body = sealed.subarray(nonceLength, -tagLength)
        return decrypting.update(body, undefined, "utf8") + decrypting.final("utf8")
      }
      return Effect.firstSuccessOf(
        acceptedSalts.map((salt) => Effect.try({ try: () => openWith(salt), catch: () => new SealBroken() }))
      )
    }

    return { seal, open }
  })
}) {}
