import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Guesser } from "../../src/limits/password-guesses.ts"
import { knownTurns, strangersTurn, type Turn, turnOf } from "../../src/limits/password-turns.ts"

const at = (address: string, as: Guesser["as"] = "known device", account = "ada"): Guesser => ({
  account,
  address,
  as
})

/** The turns of these guessers, who are all under way until the test ends. */
const turnsOf = (guessers: ReadonlyArray<Guesser>, turns = knownTurns()) =>
  Effect.gen(function* () {
    const given: Array<Turn> = []
    const fibers = yield* Effect.forEach(guessers, (guesser) =>
      Effect.fork(
        turns.withTurn(guesser, (turn) =>
          Effect.zipRight(
            Effect.sync(() => void given.push(turn)),
            Effect.never
          )
        )
      )
    )
    yield* Effect.yieldNow()
    return { fibers, given, turns }
  })

describe("turns of known clients", () => {
  it.effect("an account has two at a time, across all networks; further ones count as strangers", () =>
    Effect.gen(function* () {
      const guessers = Array.from({ length: 250 }, (_, i) => at(`198.51.${i}.1`))
      const { given } = yield* turnsOf(guessers)
      expect(given.slice(0, 2)).toEqual(guessers.slice(0, 2).map(turnOf))
      expect(given.slice(2)).toEqual(guessers.slice(2).map(({ address }) => strangersTurn(address)))
    })
  )

  it.effect("signed-in users count with known devices; strangers and other accounts do not", () =>
    Effect.gen(function* () {
      const { given, turns } = yield* turnsOf([
        at("198.51.0.1", "stranger"),
        at("198.51.0.1", "signed in"),
        at("198.51.1.1", "stranger"),
        at("198.51.1.1"),
        at("198.51.2.1", "signed in")
      ])
      expect(given.map(({ known }) => known)).toEqual([false, true, false, true, false])
      const { given: others } = yield* turnsOf([at("198.51.0.1", "known device", "grace")], turns)
      expect(others.map(({ known }) => known)).toEqual([true])
    })
  )

  it.effect("are free again once they end, fail or are interrupted", () =>
    Effect.gen(function* () {
      const { fibers, turns } = yield* turnsOf([at("198.51.0.1")])
      const isKnown = (end: Effect.Effect<void, "no">) =>
        Effect.gen(function* () {
          let known: boolean | undefined
          yield* Effect.exit(
            turns.withTurn(at("198.51.1.1"), (turn) => {
              known = turn.known
              return end
            })
          )
          return known
        })
      const ends = [Effect.void, Effect.fail("no" as const), Effect.die("broken"), Effect.interrupt]
      for (const end of [...ends, ...ends]) expect(yield* isKnown(end)).toBe(true)
      yield* Effect.forEach(fibers, Fiber.interrupt)
      const { given } = yield* turnsOf([at("198.51.2.1"), at("198.51.3.1"), at("198.51.4.1")], turns)
      expect(given.map(({ known }) => known)).toEqual([true, true, false])
    })
  )
})
