import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { hmacSha256, sameText } from "../secrets/digest.ts"
import { SecretKey } from "../secrets/secret-key.ts"

/** Days for which a device is known after it has signed in. */
export const deviceDays = 90

/** Accounts for which one browser is a known device, at most: the cookie goes with every sign-in. */
const mostAccounts = 8

/** The account that a device signed in to, with its password as it is stored. */
interface Login {
  readonly userId: string
  readonly passwordHash: string
}

/** When the device signed in, in seconds since 1970, and a MAC. */
const entryForm = /^(\d{1,12})\.[\w-]{43}$/

/** The entries of a cookie, without what cannot be one. */
const entriesOf = (cookie: string | undefined) =>
  (cookie ?? "").split("~", mostAccounts).flatMap((entry) => {
    const issued = entryForm.exec(entry)?.[1]
    return issued === undefined ? [] : [{ entry, issued: Number(issued) }]
  })

/**
 * Devices that an account's owner has signed in with before. Nothing of them is stored: a browser keeps, in one cookie, an entry for
 * each account that it signed in to, which is a MAC of the user's id, the time and the hash of the password. It proves that somebody
 * who knew this password had this browser then, and ends with the password, or after 90 days.
 */
export class Devices extends Effect.Service<Devices>()("Devices", {
  effect: Effect.gen(function* () {
    const secretKey = yield* SecretKey
    const current = secretKey.derive("known-device")
    const accepted = secretKey.accepted("known-device")
    const entry = (key: Uint8Array, issued: number, { passwordHash, userId }: Login) => {
      const mac = hmacSha256(key, `${issued}\n${userId}\n${passwordHash}`)
      return `${issued}.${Buffer.from(mac).toString("base64url")}`
    }
    const isOf =
      (login: Login) =>
      (given: { readonly entry: string; readonly issued: number }): boolean =>
        accepted.some((key) => sameText(entry(key, given.issued, login), given.entry))
    const seconds = Effect.map(Clock.currentTimeMillis, (millis) => Math.floor(millis / 1_000))
    const life = Duration.toSeconds(Duration.days(deviceDays))

    /** Whether the browser with this cookie has signed in to the account before, with the password that it has now. */
    const knows = (cookie: string | undefined, login: Login): Effect.Effect<boolean> =>
      Effect.map(seconds, (now) =>
        entriesOf(cookie)
          .filter(({ issued }) => now - issued < life)
          .some(isOf(login))
      )

    /** The cookie for a browser that has just signed in to the account. It stays known to the other accounts in `cookie`. */
    const remember = (cookie: string | undefined, login: Login): Effect.Effect<string> =>
      Effect.map(seconds, (now) => {
        const others = entriesOf(cookie).filter((given) => !isOf(login)(given))
        return [entry(current, now, login), ...others.map((other) => other.entry)]
          .slice(0, mostAccounts)
          .join("~")
      })

    return { knows, remember }
  })
}) {}
