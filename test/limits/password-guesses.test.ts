/** Who may try how many passwords of one account: strangers from many networks, and a device of its owner. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { type Guesser, passwordGuesses } from "../../src/limits/password-guesses.ts"

const wrong = Effect.fail("wrong" as const)

const guessing = Effect.map(passwordGuesses, ({ limiting }) => {
  const from = (address: string | undefined, account = "ada", device?: string): Guesser => ({
    account,
    address,
    device
  })
  /** The seconds to wait, 0 when the guess was looked at. */
  const guess = (guesser: Guesser) =>
    Effect.map(Effect.flip(limiting(guesser, wrong)), (error) =>
      error === "wrong" ? 0 : error.retryAfterSeconds
    )
  /** How many of the guesses are looked at. */
  const count = (guessers: ReadonlyArray<Guesser>) =>
    Effect.map(Effect.forEach(guessers, guess), (waits) => waits.filter((wait) => wait === 0).length)
  return { count, from, guess, limiting }
})

const times = <A>(count: number, make: (i: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, i) => make(i))

describe("guesses at a password", () => {
  it.effect("of one account: 10 of an address, 20 of an IPv4 /24, 20 of an IPv6 /48", () =>
    Effect.gen(function* () {
      for (const [address, expected] of [
        [() => "203.0.113.1", 10],
        [(i: number) => `203.0.113.${i % 250}`, 20],
        [(i: number) => `2001:db8:1:2::${i}`, 10],
        [(i: number) => `2001:db8:1:${i % 30}::${i}`, 20]
      ] as const) {
        const { count, from } = yield* guessing
        expect(yield* count(times(300, (i) => from(address(i))))).toBe(expected)
      }
    })
  )

  it.effect("of one account from anywhere: 60, then one in two seconds", () =>
    Effect.gen(function* () {
      const { count, from, guess } = yield* guessing
      expect(yield* count(times(150, (i) => from(`2001:db8:${i}::1`)))).toBe(60)
      expect(yield* guess(from("198.51.100.1"))).toBe(2)
      expect(yield* guess(from("198.51.100.1", "grace"))).toBe(0)
      yield* TestClock.adjust("60 seconds")
      expect(yield* count(times(150, (i) => from(`2001:db8:${1_000 + i}::1`)))).toBe(30)
    })
  )

  it.effect("of many accounts: 50 of an address, 200 of a network", () =>
    Effect.gen(function* () {
      const { count, from } = yield* guessing
      expect(yield* count(times(300, (i) => from("203.0.113.1", `user ${i}`)))).toBe(50)
      expect(yield* count(times(300, (i) => from(`203.0.113.${i % 200}`, `other ${i}`)))).toBe(150)
    })
  )

  it.effect(
    "a device of the owner has its own budget, whatever strangers do, and gives none to another",
    () =>
      Effect.gen(function* () {
        const { count, from, guess, limiting } = yield* guessing
        yield* count(times(150, (i) => from(`2001:db8:${i}::1`)))
        const own = from("2001:db8:1::1", "ada", "laptop")
        expect(yield* limiting(own, Effect.succeed("in"))).toBe("in")
        expect(yield* count(times(30, () => own))).toBe(10)
        expect(yield* guess(own)).toBe(12)
        expect(yield* guess(from("2001:db8:1::1", "ada", "phone"))).toBe(0)
        yield* TestClock.adjust("12 seconds")
        expect(yield* limiting(own, Effect.succeed("in"))).toBe("in")
      })
  )

  it.effect("who goes on guessing from three networks leaves a turn to an owner with a new device", () =>
    Effect.gen(function* () {
      const { count, from, limiting } = yield* guessing
      const attack = count(times(90, (i) => from(`2001:db8:${i % 3}:${i}::1`)))
      // What nobody had used up until then is theirs.
      expect(yield* attack).toBe(60)
      yield* TestClock.adjust("60 seconds")
      for (let minute = 0; minute < 30; minute++) {
        yield* attack
        expect(yield* limiting(from("198.51.100.1"), Effect.succeed("in"))).toBe("in")
        yield* TestClock.adjust("60 seconds")
      }
    })
  )

  it.effect("of loopback, behind which anybody may be, count by account alone", () =>
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
