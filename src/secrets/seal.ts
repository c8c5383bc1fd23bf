import { Data, Effect } from "effect"
import { decrypt, encrypt } from "./aes-gcm.ts"
import { hkdfSha256 } from "./digest.ts"
import { SecretKey } from "./secret-key.ts"

/** Data sealed for one purpose does not open for another. */
export type SealPurpose = "kyc-handoff" | "receipt-key" | "webhook-secret"

/** The sealed data, secret, purpose, associated data or `SECRET_KEY` is not the original. */
export class SealBroken extends Data.TaggedError("SealBroken") {}

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
    ): Uint8Array => encrypt(hkdfSha256(secret, ownSalt, purpose), plaintext, associatedData)

    /** Fails without saying why. */
    const open = (
      purpose: SealPurpose,
      secret: string,
      sealed: Uint8Array,
      associatedData: string
    ): Effect.Effect<string, SealBroken> =>
      Effect.firstSuccessOf(
        acceptedSalts.map((salt) =>
          Effect.try({
            try: () => decrypt(hkdfSha256(secret, salt, purpose), sealed, associatedData).toString(),
            catch: () => new SealBroken()
          })
        )
      )

    return { seal, open }
  })
}) {}
