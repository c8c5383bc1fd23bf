import { createHmac, timingSafeEqual } from "node:crypto"
import * as Effect from "effect/Effect"
import { SecretKey } from "../secrets/secret-key.ts"
import { randomBase62 } from "../secrets/token.ts"

/** Of the random part of a device's token: 128 bits. */
const idLength = 22

/** A device that has signed in to the account of this address. */
export interface KnownDevice {
  readonly id: string
  /** What the device keeps and shows. */
  readonly token: string
}

/**
 * Devices that an account's owner has signed in with before. Nothing of them is stored: a device keeps its random id and an HMAC of it
 * and the account's address. That proves no more than that somebody who knew the password had this device then, and is worth no more
 * than a budget of guesses of its own (`limits/password-guesses`).
 */
export class Devices extends Effect.Service<Devices>()("Devices", {
  effect: Effect.gen(function* () {
    const secretKey = yield* SecretKey
    const keys = secretKey.accepted("known-device")
    const mac = (key: Uint8Array, email: string, id: string) =>
      createHmac("sha256", key).update(`${id}\n${email}`).digest()
    const signed = (email: string, id: string): KnownDevice => ({
      id,
      token: `${id}.${mac(secretKey.derive("known-device"), email, id).toString("base64url")}`
    })

    /**
     * The device that shows `token`, when it has signed in to the account of this address.
     *
     * @param email as `normalEmail` gives it
     */
    const known = (email: string, token: string | undefined): KnownDevice | undefined => {
      const [id = "", given = ""] = (token ?? "").split(".", 2)
      if (id.length !== idLength) return undefined
      const shown = Buffer.from(given, "base64url")
      const isOurs = keys.some((key) => {
        const expected = mac(key, email, id)
        return shown.length === expected.length && timingSafeEqual(shown, expected)
      })
      // Signed anew, in case it was by the previous key.
      return isOurs ? signed(email, id) : undefined
    }

    /** The device as it is known from now on, after a good sign-in: it stays the one it is, so that it gains no second budget. */
    const recognised = (email: string, token: string | undefined): KnownDevice =>
      known(email, token) ?? signed(email, randomBase62(idLength))

    return { known, recognised }
  })
}) {}
