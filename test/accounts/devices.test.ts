/** The cookie of a device that has signed in before: whom it proves what, and for how long. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted, TestClock } from "effect"
import { Devices } from "../../src/accounts/devices.ts"
import { SecretKey } from "../../src/secrets/secret-key.ts"

const key = (letter: string) => Redacted.make(letter.repeat(32))

/** Under `SECRET_KEY` and `SECRET_KEY_PREVIOUS`. */
const devices = (current: string, previous?: string) =>
  Devices.pipe(
    Effect.provide(Devices.Default),
    Effect.provide(SecretKey.layer(key(current), previous === undefined ? undefined : key(previous)))
  )

const account = (id: string) => ({
  user: { id, email: `${id}@example.com` },
  passwordHash: `hash of ${id}'s password`
})
const ada = account("ada")

describe("the cookie of a known device", () => {
  it.effect("is valid only for the account that signed in", () =>
    Effect.gen(function* () {
      const { knows, remember } = yield* devices("a")
      const cookie = yield* remember(undefined, ada)
      expect(yield* knows(cookie, ada)).toBe(true)
      expect(yield* knows(cookie, account("grace"))).toBe(false)
      expect(yield* knows(undefined, ada)).toBe(false)
    })
  )

  it.effect("becomes invalid when the password changes", () =>
    Effect.gen(function* () {
      const { knows, remember } = yield* devices("a")
      const cookie = yield* remember(undefined, ada)
      expect(yield* knows(cookie, { ...ada, passwordHash: "hash of another password" })).toBe(false)
    })
  )

  it.effect("expires after 90 days; each sign-in restarts them", () =>
    Effect.gen(function* () {
      const { knows, remember } = yield* devices("a")
      const cookie = yield* remember(undefined, ada)
      yield* TestClock.adjust("89 days")
      expect(yield* knows(cookie, ada)).toBe(true)
      const later = yield* remember(cookie, ada)
      yield* TestClock.adjust("1 day")
      expect([yield* knows(cookie, ada), yield* knows(later, ada)]).toEqual([false, true])
    })
  )

  it.effect("cannot be forged or changed without the key: neither its time nor its MAC", () =>
    Effect.gen(function* () {
      const { knows, remember } = yield* devices("a")
      yield* TestClock.adjust("200 days")
      const cookie = yield* remember(undefined, ada)
      const [issued = "", tag = "", mac = ""] = cookie.split(".")
      for (const made of [
        `${Number(issued) + 1}.${tag}.${mac}`,
        `${issued}.${tag}.${mac.replace(/^./, (first) => (first === "A" ? "B" : "A"))}`,
        `${issued}.${tag}.`,
        `${issued}.${mac}`,
        `.${tag}.${mac}`,
        mac,
        "",
        "~",
        `${cookie}x`,
        `x${cookie}`,
        yield* (yield* devices("b")).remember(undefined, ada)
      ]) {
        expect([made, yield* knows(made, ada)]).toEqual([made, false])
      }
    })
  )

  it.effect("is valid under SECRET_KEY_PREVIOUS, but not without it", () =>
    Effect.gen(function* () {
      const cookie = yield* (yield* devices("a")).remember(undefined, ada)
      expect(yield* (yield* devices("b", "a")).knows(cookie, ada)).toBe(true)
      expect(yield* (yield* devices("b")).knows(cookie, ada)).toBe(false)
      // A renewed cookie uses the new key.
      const renewed = yield* (yield* devices("b", "a")).remember(cookie, ada)
      expect(yield* (yield* devices("b")).knows(renewed, ada)).toBe(true)
    })
  )

  it.effect("holds the last eight accounts that signed in, each once", () =>
    Effect.gen(function* () {
      const { knows, remember } = yield* devices("a")
      const accounts = Array.from({ length: 9 }, (_, i) => account(`user ${i}`))
      let cookie: string | undefined
      for (const one of accounts) cookie = yield* remember(cookie, one)
      const known = yield* Effect.forEach(accounts, (one) => knows(cookie, one))
      expect(known).toEqual([false, ...Array.from({ length: 8 }, () => true)])
      // Who signs in again takes no place from anybody.
      yield* TestClock.adjust("1 day")
      const again = yield* remember(cookie, accounts[4] ?? ada)
      expect(yield* Effect.forEach(accounts, (one) => knows(again, one))).toEqual(known)
    })
  )

  it.effect("has one entry per account, even after a password change; expired entries are dropped", () =>
    Effect.gen(function* () {
      const { knows, remember } = yield* devices("a")
      const grace = account("grace")
      let cookie: string | undefined = yield* remember(undefined, grace)
      for (let i = 0; i < 8; i++) cookie = yield* remember(cookie, { ...ada, passwordHash: `hash ${i}` })
      expect(cookie?.split("~")).toHaveLength(2)
      expect(yield* knows(cookie, grace)).toBe(true)
      yield* TestClock.adjust("90 days")
      expect((yield* remember(cookie, ada)).split("~")).toHaveLength(1)
    })
  )

  it.effect(
    "tells before any lookup whether it may belong to an account, and never names one that has not signed in",
    () =>
      Effect.gen(function* () {
        const { mayKnow, remember } = yield* devices("a")
        const cookie = yield* remember(undefined, ada)
        const other = yield* (yield* devices("b")).remember(undefined, ada)
        expect(yield* mayKnow(cookie, ada.user.email)).toBe(true)
        expect(yield* mayKnow(cookie, "grace@example.com")).toBe(false)
        for (const made of [undefined, other]) expect(yield* mayKnow(made, ada.user.email)).toBe(false)
        const renewed = yield* devices("c", "a")
        expect(yield* renewed.mayKnow(cookie, ada.user.email)).toBe(true)
        yield* TestClock.adjust("90 days")
        expect(yield* mayKnow(cookie, ada.user.email)).toBe(false)
      })
  )
})
