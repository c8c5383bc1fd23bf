/** contract.md#protective-limits: what keys that are made up leave to the good ones behind the same address. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Runtime, TestClock } from "effect"
import { TooManyRequests } from "../../src/limits/errors.ts"
import { keyGuesses } from "../../src/limits/guesses.ts"
import { stoppedClock } from "../support/stopped-clock.ts"

/** The limits of a family of keys, of which those that begin with `good` are, on a clock that the test moves. */
const onClock = Effect.gen(function* () {
  let lookUps = 0
  const revoked = new Set<string>()
  const { by, pass } = stoppedClock()
  const { limiting } = yield* by(keyGuesses<"invalid">("key", { add: () => {} }))
  const use = (address: string, key: string) =>
    Effect.suspend(() =>
      limiting(
        () => address,
        key,
        Effect.suspend(() => {
          lookUps++
          return key.startsWith("good") && !revoked.has(key)
            ? Effect.succeed("found" as const)
            : Effect.fail("invalid" as const)
        })
      )
    )
  const run = Runtime.runFork(yield* Effect.runtime())
  /** Tries this many made-up keys at once. Returns how many were looked up, and how many responses were delayed. */
  const guess = (address: string, times = 1) => {
    const before = lookUps
    // Each runs at once, up to where it waits.
    const guesses = Array.from({ length: times }, () => run(use(address, crypto.randomUUID())))
    const late = guesses.filter((fiber) => fiber.unsafePoll() === null).length
    return { lookedUp: lookUps - before, late }
  }
  return { use, run, guess, pass, revoke: (key: string) => void revoked.add(key) }
})

const address = "203.0.113.1"

describe("made-up keys", () => {
  it.effect("two a second for a long time: a valid key from the same address is still found", () =>
    Effect.gen(function* () {
      const { guess, pass, use } = yield* onClock
      expect(guess(address, 105)).toEqual({ lookedUp: 105, late: 5 })
      let late = 0
      for (let i = 0; i < 1_200; i++) {
        yield* pass(500)
        const guessed = guess(address)
        expect(guessed.lookedUp).toBe(1)
        late += guessed.late
        expect(yield* use(address, "good")).toBe("found")
      }
      // One a second is refused without a delay.
      expect(late).toBe(600)
    })
  )

  it.effect(
    "in a flood: 300 in a row, then ten a second are looked up, and no others from that address",
    () =>
      Effect.gen(function* () {
        const { guess, pass, run, use } = yield* onClock
        for (const lookedUp of [100, 100, 100, 0]) expect(guess(address, 100).lookedUp).toBe(lookedUp)
        let keys = 0
        const good = Effect.suspend(() => use(address, `good ${keys++}`))
        const refused = run(Effect.flip(good))
        expect(yield* use("203.0.113.2", "good of another")).toBe("found")
        for (let i = 0; i < 10; i++) {
          yield* pass(100)
          expect(yield* good).toBe("found")
          expect(guess(address).lookedUp).toBe(1)
          expect(guess(address).lookedUp).toBe(0)
        }
        yield* TestClock.adjust("500 millis")
        expect(yield* refused).toEqual(new TooManyRequests({ retryAfterSeconds: 1 }))
      })
  )

  it.effect("in a flood: a key that was found before is looked up again, until it is not found", () =>
    Effect.gen(function* () {
      const { guess, revoke, run, use } = yield* onClock
      expect(yield* use(address, "good")).toBe("found")
      for (const lookedUp of [100, 100, 100, 0]) expect(guess(address, 100).lookedUp).toBe(lookedUp)
      for (let i = 0; i < 3; i++) expect(yield* use(address, "good")).toBe("found")
      revoke("good")
      const refused = run(Effect.flip(use(address, "good")))
      yield* TestClock.adjust("500 millis")
      expect(yield* refused).toEqual(new TooManyRequests({ retryAfterSeconds: 1 }))
    })
  )
})
