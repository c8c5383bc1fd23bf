import { Clock, Duration, Effect } from "effect"
import { hmacSha256, sameText } from "../secrets/digest.ts"
import { SecretKey } from "../secrets/secret-key.ts"
import type { User } from "./model.ts"

/** Days for which a device stays known after it signs in. */
export const deviceDays = 90

/** Per browser: every sign-in request carries the cookie. */
const mostAccounts = 8

/** The account that a device signs in to, with its stored password hash. */
interface Login {
  readonly user: Pick<User, "id" | "email">
  readonly passwordHash: string
}

interface Entry {
  readonly entry: string
  /** When the device signed in, in seconds since 1970. */
  readonly issued: number
  readonly tag: string
}

const entryForm = /^(\d{1,12})\.([\w-]{11})\.[\w-]{43}$/

const tagBytes = 8

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")

/**
 * The devices with which an account's owner has signed in before. The server stores nothing about them: a
 * cookie has an entry for each account, of the time, a tag, and a MAC of the time, the user's id and the
 * password hash. The MAC proves that somebody who knew this password used this browser then, and holds until
 * the password changes, at most 90 days. The tag, a MAC of the email address, finds the entry by address.
 */
export class Devices extends Effect.Service<Devices>()("Devices", {
  effect: Effect.gen(function* () {
    const secretKey = yield* SecretKey
    const current = secretKey.derive("known-device")
    const accepted = secretKey.accepted("known-device")
    const seconds = Effect.map(Clock.currentTimeMillis, (millis) => Math.floor(millis / 1_000))
    const life = Duration.toSeconds(Duration.days(deviceDays))

    const tagOf = (key: Uint8Array, email: string) =>
      base64url(hmacSha256(key, `email\n${email}`).subarray(0, tagBytes))
    const entryOf = (key: Uint8Array, issued: number, { passwordHash, user }: Login) =>
      `${issued}.${tagOf(key, user.email)}.${base64url(hmacSha256(key, `${issued}\n${user.id}\n${passwordHash}`))}`

    /** The well-formed, unexpired entries of a cookie. */
    const entriesOf = (cookie: string | undefined, now: number): ReadonlyArray<Entry> =>
      (cookie ?? "").split("~", mostAccounts).flatMap((entry) => {
        const [, issued, tag] = entryForm.exec(entry) ?? []
        return issued === undefined || tag === undefined || now - Number(issued) >= life
          ? []
          : [{ entry, issued: Number(issued), tag }]
      })
    const isTaggedFor =
      (email: string) =>
      ({ tag }: Entry): boolean =>
        accepted.some((key) => sameText(tagOf(key, email), tag))

    /** Whether the browser has signed in to an account that had this address. */
    const mayKnow = (cookie: string | undefined, email: string): Effect.Effect<boolean> =>
      Effect.map(seconds, (now) => entriesOf(cookie, now).some(isTaggedFor(email)))

    /** Whether the browser has signed in to this account with its current password. */
    const knows = (cookie: string | undefined, login: Login): Effect.Effect<boolean> =>
      Effect.map(seconds, (now) =>
        entriesOf(cookie, now).some(({ entry, issued }) =>
          accepted.some((key) => sameText(entryOf(key, issued, login), entry))
        )
      )

    /** The new cookie of a browser that has signed in. It stays known to the other accounts in `cookie`. */
    const remember = (cookie: string | undefined, login: Login): Effect.Effect<string> =>
      Effect.map(seconds, (now) => {
        const isSameAccount = isTaggedFor(login.user.email)
        const others = entriesOf(cookie, now).filter((given) => !isSameAccount(given))
        return [entryOf(current, now, login), ...others.map(({ entry }) => entry)]
          .slice(0, mostAccounts)
          .join("~")
      })

    return { mayKnow, knows, remember }
  })
}) {}
