import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { Data, Effect } from "effect"
import { hkdfSha256 } from "./digest.ts"
import { SecretKey } from "./secret-key.ts"

/** Data sealed for one purpose does not open for another. */
export type SealPurpose = "kyc-handoff" | "receipt-key" | "webhook-secret"

/** The sealed data, secret, purpose, associated data or `SECRET_KEY` is not the original. */
export class SealBroken extends Data.TaggedError("SealBroken") {}

const cipher = "aes-256-gcm"
const nonceLength = 12
const tagLength = 16

/**
 * Encrypts for the holder of a secret: AES-256-GCM (NIST SP 800-38D) with a key that HKDF-SHA-256 derives
 * from the secret and a salt from `SECRET_KEY`. The database and `SECRET_KEY` together cannot decrypt it.
 */
export class Seal extends Effect.Service<Seal>()("Seal", {
  effect: Effect.gen(function* () {
    const secretKey = yield* SecretKey
    const ownSalt = secretKey.derive("seal")
    const acceptedSalts = secretKey.accepted("seal")

    /**
     * Returns nonce, ciphertext and tag.
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

    /** Fails without saying why. */
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
