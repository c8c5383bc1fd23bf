import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TooManyRequests } from "../../src/limits/errors.ts"
import { FairQueue, NoTurn } from "../../src/limits/fair-queue.ts"
import type { Guesser } from "../../src/limits/password-guesses.ts"
import {
  knownTurns,
  lanesOf,
  type Places,
  passwordTurns,
  strangersTurn,
  type Turn,
  turnOf,
  waitingPlaces
} from "../../src/limits/password-turns.ts"
import { CurrentRequest } from "../../src/shared/current-request.ts"

const turn = (known: boolean, network: string, lane: string): Turn => ({
  known,
  network,
  lane,
  bounded: true
})
const stranger = (network: string, lane = network): Turn => turn(false, network, lane)
const known = (network: string, lane = network): Turn => turn(true, network, lane)

/** The real bounds. */
const { most, perLane, perNetwork } = waitingPlaces

/** A queue of tasks that record their start and end on demand, with the names of the refused ones. */
const works = (atOnce: number, places: Partial<Places> = {}, random?: () => number) => {
  const queue = new FairQueue({ atOnce }, random)
  const inTurn = <A, E>(turn: Turn, work: Effect.Effect<A, E>) =>
    queue.inTurn(lanesOf(turn, { ...waitingPlaces, ...places }), work)
  const begun: Array<string> = []
  const refused: Array<string> = []
  const ends = new Map<string, Deferred.Deferred<void>>()
  const settle = Effect.yieldNow().pipe(Effect.repeatN(10))
  const add = (turn: Turn, name: string, gone?: AbortSignal) =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<void>()
      ends.set(name, end)
      const work = Effect.zipRight(
        Effect.sync(() => void begun.push(name)),
        Deferred.await(end)
      )
      const request = {
        id: "none",
        clientAddress: () => "",
        isDirect: () => true,
        gone: () => gone,
        setIdleTimeout: () => {}
      }
      const waiting = Effect.provideService(inTurn(turn, work), CurrentRequest, request)
      const fiber = yield* Effect.fork(
        Effect.catchAll(waiting, (error) => {
          expect(error).toEqual(new NoTurn())
          return Effect.sync(() => void refused.push(name))
        })
      )
      yield* settle
      return fiber
    })
  const addMany = (count: number, turn: (i: number) => Turn, name: string) =>
    Effect.forEach(Array.from({ length: count }), (_, i) => add(turn(i), `${name}${i}`), { discard: true })
  /** Ends works in the order in which they begin, until there is none, or that of this name has begun. */
  const drain = (until?: string) =>
    Effect.gen(function* () {
      for (let i = 0; i < begun.length && begun[begun.length - 1] !== until; i++) {
        const end = ends.get(begun[i] ?? "")
        if (end !== undefined) yield* Deferred.succeed(end, undefined)
        yield* settle
      }
      return begun
    })
  return { add, addMany, begun, drain, inTurn, refused }
}

describe("turns of sign-ins", () => {
  it.effect("gives networks their turns in rotation, however much waits in one", () =>
    Effect.gen(function* () {
      const { add, addMany, drain } = works(1)
      yield* addMany(6, () => stranger("a"), "a")
      yield* addMany(2, () => stranger("b"), "b")
      yield* add(stranger("c"), "c0")
      expect(yield* drain()).toEqual(["a0", "a1", "b0", "c0", "a2", "b1", "a3", "a4", "a5"])
    })
  )

  it.effect("gives every other turn to known devices: 400 strangers delay one by two turns", () =>
    Effect.gen(function* () {
      const { add, addMany, drain } = works(1)
      yield* addMany(400, (i) => stranger(`network ${i}`), "stranger")
      yield* add(known("owner"), "owner")
      const begun = yield* drain("owner")
      expect(begun.length - 1).toBeLessThanOrEqual(2)
    })
  )

  it.effect(
    "1,300 known accounts on 6 /64s of one /48 leave a known device elsewhere its place and its turn",
    () =>
      Effect.gen(function* () {
        const { add, addMany, drain, refused } = works(1)
        const knownAt = (account: string, address: string) => turnOf({ account, address, as: "known device" })
        yield* add(strangersTurn("192.0.2.1"), "under way")
        yield* addMany(1_300, (i) => knownAt(`account ${i}`, `2001:db8:1:${i % 6}::1`), "own")
        expect(refused).toHaveLength(1_300 - perNetwork)
        yield* add(knownAt("ada", "203.0.113.1"), "owner")
        expect(refused).toHaveLength(1_300 - perNetwork)
        const begun = yield* drain("owner")
        expect(begun).toHaveLength(3)
      })
  )

  it.effect("when a network's places are full, one of its longest lanes, at random, loses its newest", () =>
    Effect.gen(function* () {
      const chances = [0.99, 0, 0.5]
      const { add, addMany, refused } = works(1, { perNetwork: 6 }, () => chances.shift() ?? 0)
      yield* add(stranger("other"), "under way")
      for (const lane of ["a", "b", "c"]) yield* addMany(2, () => stranger("network", lane), lane)
      yield* add(stranger("other"), "elsewhere")
      expect(refused).toEqual([])
      for (const lane of ["d", "e", "f"]) yield* add(stranger("network", lane), lane)
      // The last of a, b and c; the first of a and b; then all are equal, and a newcomer may stay.
      expect(refused).toEqual(["c1", "a1", "b1"])
      yield* add(stranger("network", "g"), "g")
      expect(refused).toEqual(["c1", "a1", "b1", "a0"])
    })
  )

  it.effect("when it is full of strangers, known devices still have their places", () =>
    Effect.gen(function* () {
      const { add, addMany, begun, drain, refused } = works(1, { most: 20 })
      yield* add(stranger("a"), "under way")
      yield* addMany(25, (i) => stranger(`network ${i}`), "stranger")
      expect(refused).toHaveLength(5)
      yield* addMany(20, (i) => known(`network ${i}`), "known")
      expect(refused).toHaveLength(5)
      yield* drain()
      expect(begun).toHaveLength(41)
    })
  )

  it.effect("refuses nobody at loopback, which may stand for all clients, before it is full", () =>
    Effect.gen(function* () {
      const { add, addMany, refused } = works(1)
      yield* add(strangersTurn("127.0.0.1"), "under way")
      yield* addMany(most, () => strangersTurn("127.0.0.1"), "local")
      expect([most, refused]).toEqual([4_096, []])
      yield* add(strangersTurn("203.0.113.1"), "elsewhere")
      expect(refused).toEqual([`local${most - 1}`])
    })
  )

  it.effect("answers 429 Too many requests without a turn", () =>
    Effect.gen(function* () {
      const { inTurn } = passwordTurns(1)
      const turn = stranger("a")
      yield* Effect.fork(inTurn(turn, Effect.never))
      for (let i = 0; i < perLane; i++) yield* Effect.fork(inTurn(turn, Effect.never))
      yield* Effect.yieldNow()
      expect(yield* Effect.flip(inTurn(turn, Effect.void))).toEqual(
        new TooManyRequests({ retryAfterSeconds: 1 })
      )
    })
  )
})

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
