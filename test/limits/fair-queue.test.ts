import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TooManyRequests } from "../../src/limits/errors.ts"
import { fairQueue, type Turn } from "../../src/limits/fair-queue.ts"

const stranger = (lane: string, address?: string): Turn => ({ known: false, lane, address })
const known = (lane: string, address?: string): Turn => ({ known: true, lane, address })

/** A queue of works that note when they begin, and end when they are told to; and the names of those that were refused. */
const works = (atOnce: number, most: number, perAddress: number) => {
  const { inTurn } = fairQueue(atOnce, most, perAddress)
  const begun: Array<string> = []
  const refused: Array<string> = []
  const ends = new Map<string, Deferred.Deferred<void>>()
  const settle = Effect.yieldNow().pipe(Effect.repeatN(10))
  const add = (turn: Turn, name: string) =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<void>()
      ends.set(name, end)
      const work = Effect.zipRight(
        Effect.sync(() => void begun.push(name)),
        Deferred.await(end)
      )
      const fiber = yield* Effect.fork(
        Effect.catchAll(inTurn(turn, work), (error) => {
          expect(error).toEqual(new TooManyRequests({ retryAfterSeconds: 1 }))
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

describe("a fair queue", () => {
  it.effect("lets each lane have its turn after each other, however much waits in one", () =>
    Effect.gen(function* () {
      const { add, addMany, drain } = works(1, 1_000, 1_000)
      yield* addMany(6, () => stranger("a"), "a")
      yield* addMany(2, () => stranger("b"), "b")
      yield* add(stranger("c"), "c0")
      expect(yield* drain()).toEqual(["a0", "a1", "b0", "c0", "a2", "b1", "a3", "a4", "a5"])
    })
  )

  it.effect("gives every other turn to those who are known: 400 strangers put one of them back by two", () =>
    Effect.gen(function* () {
      const { add, addMany, drain } = works(1, 1_000, 1_000)
      yield* addMany(400, (i) => stranger(`network ${i}`), "stranger")
      yield* add(known("owner"), "owner")
      const begun = yield* drain("owner")
      expect(begun.length - 1).toBeLessThanOrEqual(2)
    })
  )

  it.effect("has those who are known wait for each other by lane, and lets strangers go on meanwhile", () =>
    Effect.gen(function* () {
      const { addMany, drain } = works(1, 1_000, 1_000)
      yield* addMany(4, () => known("ada"), "ada")
      yield* addMany(1, () => known("grace"), "grace")
      yield* addMany(2, () => stranger("a"), "stranger")
      expect(yield* drain()).toEqual(["ada0", "ada1", "stranger0", "grace0", "stranger1", "ada2", "ada3"])
    })
  )

  it.effect("has so many under way as it may, and no more", () =>
    Effect.gen(function* () {
      const { addMany, begun, drain } = works(4, 1_000, 1_000)
      yield* addMany(9, () => stranger("a"), "a")
      expect(begun).toHaveLength(4)
      yield* drain()
      expect(begun).toHaveLength(9)
      // All places are free again.
      yield* addMany(9, () => known("b"), "b")
      expect(begun).toHaveLength(13)
    })
  )

  it.effect("refuses one address more places than it may have, and nobody else", () =>
    Effect.gen(function* () {
      const { add, addMany, drain, refused } = works(1, 1_000, 3)
      yield* add(stranger("a"), "under way")
      yield* addMany(
        5,
        (i) => (i % 2 === 0 ? stranger("a", "203.0.113.1") : known("ada", "203.0.113.1")),
        "a"
      )
      expect(refused).toEqual(["a3", "a4"])
      yield* add(stranger("a", "203.0.113.2"), "b")
      yield* addMany(5, () => stranger("a"), "uncounted")
      expect(refused).toEqual(["a3", "a4"])
      yield* drain()
      yield* addMany(4, () => stranger("a", "203.0.113.1"), "again")
      expect(refused).toEqual(["a3", "a4"])
    })
  )

  it.effect("when it is full, the longest lane loses its newest to one that is shorter", () =>
    Effect.gen(function* () {
      const { add, addMany, drain, refused } = works(1, 6, 3)
      yield* add(stranger("a"), "under way")
      yield* addMany(3, () => stranger("long", "203.0.113.1"), "long")
      yield* addMany(3, (i) => stranger(`short ${i}`), "short")
      yield* add(stranger("new"), "new")
      expect(refused).toEqual(["long2"])
      // Its place is free again, but its lane is now as long as any would be.
      yield* add(stranger("long", "203.0.113.1"), "longer")
      expect(refused).toEqual(["long2", "longer"])
      yield* drain()
      yield* addMany(4, () => stranger("long", "203.0.113.1"), "again")
      expect(refused).toEqual(["long2", "longer"])
    })
  )

  it.effect("full of strangers, it refuses strangers, and still has its places for those who are known", () =>
    Effect.gen(function* () {
      const { add, addMany, begun, drain, refused } = works(1, 20, 1_000)
      yield* add(stranger("a"), "under way")
      yield* addMany(25, (i) => stranger(`network ${i}`), "stranger")
      expect(refused).toHaveLength(5)
      yield* addMany(20, (i) => known(`account ${i}`), "known")
      expect(refused).toHaveLength(5)
      yield* drain()
      expect(begun).toHaveLength(41)
    })
  )

  it.effect("goes on after work that fails, dies or is interrupted", () =>
    Effect.gen(function* () {
      const { add, begun, inTurn } = works(1, 10, 10)
      expect(yield* Effect.flip(inTurn(stranger("a"), Effect.fail("no")))).toBe("no")
      yield* Effect.exit(inTurn(stranger("a"), Effect.die("broken")))
      const fiber = yield* add(stranger("a"), "interrupted")
      yield* Fiber.interrupt(fiber)
      yield* add(stranger("a"), "next")
      expect(begun).toEqual(["interrupted", "next"])
    })
  )
})
