import { randomBytes } from "node:crypto"
import { Data, Effect } from "effect"
import { decrypt, encrypt } from "./aes-gcm.ts"
import { sha256 } from "./digest.ts"
import { SecretKey } from "./secret-key.ts"

/** 32 random bytes that encrypt the data of one owner. Without them, the data cannot be read. */
export type DataKey = Uint8Array

/** A data key as it is stored, which only the holder of `SECRET_KEY` can open. */
export interface SealedKey {
  readonly sealed_key: Uint8Array
  /** Which `SECRET_KEY` sealed it; reveals nothing about it. */
  readonly sealed_with: string
}

/** No `SECRET_KEY` that this process has sealed the key, or the key belongs to another owner. */
class DataKeyUnavailable extends Data.TaggedError("DataKeyUnavailable") {}

/** Marks a sealed text, with the version of its form. `kyc_progress_bytes` in the database knows its length, and what sealing adds. */
const mark = "sealed.1."

/** After the mark, a sealed text has at least nonce and tag: 28 bytes in base64url. */
const sealedForm = /^sealed\.1\.[\w-]{38,}$/

/** Makes and opens data keys. They are sealed by AES-256-GCM under a key derived from `SECRET_KEY`. */
export class DataKeys extends Effect.Service<DataKeys>()("DataKeys", {
  effect: Effect.gen(function* () {
    const secretKey = yield* SecretKey
    const idOf = (sealing: Uint8Array): string =>
      Buffer.from(sha256(Buffer.from(sealing).toString("hex"))).toString("hex", 0, 8)
    const own = secretKey.derive("data-keys")
    const sealedWith = idOf(own)
    const accepted = new Map(secretKey.accepted("data-keys").map((key) => [idOf(key), key]))

    const seal = (owner: string, key: DataKey): SealedKey => ({
      sealed_key: encrypt(own, key, owner),
      sealed_with: sealedWith
    })

    /** @param owner the ids that the key belongs to: it does not open for another owner. Throws `DataKeyUnavailable`. */
    const open = (owner: string, { sealed_key, sealed_with }: SealedKey): DataKey => {
      const sealing = accepted.get(sealed_with)
      if (sealing === undefined) throw new DataKeyUnavailable()
      try {
        return decrypt(sealing, sealed_key, owner)
      } catch {
        throw new DataKeyUnavailable()
      }
    }

    return {
      /** The `sealed_with` of keys that are sealed now. */
      sealedWith,

      /** The `sealed_with` of all keys that can be opened. */
      accepted: [...accepted.keys()],

      make: (owner: string): { readonly key: DataKey; readonly sealed: SealedKey } => {
        const key = randomBytes(32)
        return { key, sealed: seal(owner, key) }
      },

      open,

      /** The same key, sealed with the present `SECRET_KEY`. Throws `DataKeyUnavailable`. */
      reseal: (owner: string, stored: SealedKey): SealedKey => seal(owner, open(owner, stored))
    }
  })
}) {}

/** @param place what the text is: it does not open as something else */
export const sealText = (key: DataKey, place: string, text: string): string =>
  mark + encrypt(key, text, place).toString("base64url")

/** Whether {@link sealText} may have made it. A text that only begins like a sealed one is plain. */
export const isSealedText = (stored: unknown): stored is string =>
  typeof stored === "string" && sealedForm.test(stored)

/** Throws if the key, the text or its place is not the original. */
export const openText = (key: DataKey, place: string, sealed: string): string =>
  decrypt(key, Buffer.from(sealed.slice(mark.length), "base64url"), place).toString()
