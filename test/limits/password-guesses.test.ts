/** How many passwords of one account can be tried: by strangers from many networks, and from a device of the owner. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { type Guesser, passwordGuesses } from "../../src/limits/password-guesses.ts"
import { turnOf } from "../../src/limits/password-turns.ts"

const wrong = Effect.fail("wrong" as const)
const right = Effect.succeed("in" as const)

const guessing = Effect.map(passwordGuesses, ({ ask, limiting }) => {
  const from = (address: string, account = "ada"): Guesser => ({ account, address, as: "stranger" })
  /** The seconds to wait; 0 if the guess was checked. */
  const guess = (guesser: Guesser) =>
    Effect.gen(function* () {
      const asked = yield* Effect.either(ask(guesser))
      const error = yield* Effect.flip(limiting(guesser, wrong))
      // A check in advance gives the same answer, and consumes nothing.
      expect(asked._tag === "Left").toBe(error !== "wrong")
      return error === "wrong" ? 0 : error.retryAfterSeconds
    })
  /** How many of the guesses are checked. */
  const count = (guessers: ReadonlyArray<Guesser>) =>
    Effect.map(Effect.forEach(guessers, guess), (waits) => waits.filter((wait) => wait === 0).length)
  return { count, from, guess, limiting }
})

const times = <A>(count: number, make: (i: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, i) => make(i))

/** Addresses in different networks. */
const networks = (i: number): string => `2001:${i}::1`

describe("guesses at a password", () => {
  it.effect("of one account from one network: 60, then one in two seconds", () =>
    Effect.gen(function* () {
      for (const address of [
        () => "203.0.113.1",
        (i: number) => `203.0.113.${i % 250}`,
        (i: number) => `2001:db8:1:${i % 30}::1`
      ]) {
        const { count, from, guess } = yield* guessing
        expect(yield* count(times(90, (i) => from(address(i))))).toBe(60)
        expect(yield* guess(from(address(0), "grace"))).toBe(0)
        yield* TestClock.adjust("60 seconds")
        expect(yield* count(times(90, (i) => from(address(i))))).toBe(30)
      }
    })
  )

  it.effect("of one account from everywhere: 360, then one in two seconds", () =>
    Effect.gen(function* () {
      const { count, from, guess } = yield* guessing
      expect(yield* count(times(500, (i) => from(networks(i))))).toBe(360)
      expect(yield* guess(from("198.51.100.1"))).toBe(2)
      expect(yield* guess(from("198.51.100.1", "grace"))).toBe(0)
      yield* TestClock.adjust("60 seconds")
      expect(yield* count(times(500, (i) => from(networks(2_000 + i))))).toBe(30)
    })
  )

  it.effect("of one account from 40 networks that keep guessing: the rest is for other networks", () =>
    Effect.gen(function* () {
      const { count, from, limiting } = yield* guessing
      const attack = count(times(400, (i) => from(`198.${i % 40}.0.${i % 100}`)))
      expect(yield* attack).toBeLessThanOrEqual(60 + 40 * 6)
      let checked = 0
      for (let minute = 0; minute < 40; minute++) {
        // A new device of the owner in another network; the owner mistypes the password five times.
        const owner = from(`203.${minute}.113.1`)
        expect(yield* count(times(5, () => owner))).toBe(5)
        expect(yield* limiting(owner, right)).toBe("in")
        yield* TestClock.adjust("60 seconds")
        checked += yield* attack
      }
      // A minute has 30 of the account, and each network 6 an hour of its own.
      expect(checked).toBeLessThanOrEqual(40 * (30 + (40 * 6) / 60))
    })
  )

  it.effect("of many accounts: 100 from a network, then 40 a minute", () =>
    Effect.gen(function* () {
      const { count, from } = yield* guessing
      const attack = (name: string) => count(times(300, (i) => from(`203.0.113.${i % 3}`, `${name} ${i}`)))
      expect(yield* attack("user")).toBe(100)
      yield* TestClock.adjust("60 seconds")
      expect(yield* attack("other")).toBe(40)
    })
  )

  it.effect("all known devices of an account share one budget, whatever strangers do", () =>
    Effect.gen(function* () {
      const { count, from, limiting } = yield* guessing
      yield* count(times(500, (i) => from(networks(i))))
      const device = (i: number): Guesser => ({ ...from(networks(i)), as: "known device" })
      expect(yield* limiting(device(1), right)).toBe("in")
      expect(yield* count(times(30, device))).toBe(10)
      yield* TestClock.adjust("12 seconds")
      expect(yield* limiting(device(1), right)).toBe("in")
    })
  )

  it.effect("a signed-in user has only the budget of the session", () =>
    Effect.gen(function* () {
      const { count, from, limiting } = yield* guessing
      const signedIn: Guesser = { ...from("203.0.113.1"), as: "signed in", session: "stolen" }
      expect(yield* count(times(30, (i) => ({ ...signedIn, address: `198.51.${i}.1` })))).toBe(10)
      // A stolen session does not use up the owner's budget: not at the same address, not at another one, and not as another
      // account.
      for (const address of ["203.0.113.1", "192.0.2.1"]) {
        expect(yield* limiting({ ...signedIn, address, session: "owner's" }, right)).toBe("in")
      }
      expect(yield* count([signedIn, { ...signedIn, session: "another" }])).toBe(1)
      expect(yield* count(times(30, () => ({ ...signedIn, as: "known device" })))).toBe(30)
    })
  )

  it.effect("from loopback, which may stand for many clients, count only by account", () =>
    Effect.gen(function* () {
      const { count, from, guess } = yield* guessing
      for (const address of ["127.0.0.1", "::1"]) {
        expect(yield* count(times(100, (i) => from(address, `user ${i}`)))).toBe(100)
      }
      expect(yield* count(times(100, () => from("127.0.0.1")))).toBe(60)
      yield* TestClock.adjust("2 seconds")
      expect(yield* guess(from("127.0.0.1"))).toBe(0)
    })
  )
})

describe("the turn of a guess", () => {
  it.each([
    ["IPv4: by /24 and address", "203.0.113.9", { network: "203.0.113", lane: "203.0.113.9", bounded: true }],
    [
      "IPv6: by /48 and /64",
      "2001:db8:1:2::9",
      { network: "8193:3512:1", lane: "8193:3512:1:2", bounded: true }
    ],
    ["loopback: without a bound", "127.0.0.1", { network: "127.0.0", lane: "127.0.0.1", bounded: false }]
  ])("%s; known devices have a lane per account", (_, address, expected) => {
    expect(turnOf({ account: "ada", address, as: "stranger" })).toEqual({ ...expected, known: false })
    for (const as of ["known device", "signed in"] as const) {
      expect(turnOf({ account: "ada", address, as })).toEqual({ ...expected, known: true, lane: "ada" })
    }
  })
})
