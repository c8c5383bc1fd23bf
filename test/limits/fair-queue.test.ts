import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TooManyRequests } from "../../src/limits/errors.ts"
import { fairQueue } from "../../src/limits/fair-queue.ts"

/** Works that note when they begin, and end when they are told to. */
const works = (atOnce: number, perLane: number, inAll: number) => {
  const { inTurn } = fairQueue(atOnce, perLane, inAll)
  const begun: Array<string> = []
  const ends = new Map<string, Deferred.Deferred<void>>()
  const add = (lane: string, name: string) =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<void>()
      ends.set(name, end)
      const work = Effect.zipRight(
        Effect.sync(() => void begun.push(name)),
        Deferred.await(end)
      )
      const fiber = yield* Effect.fork(inTurn(lane, work))
      yield* Effect.yieldNow()
      return fiber
    })
  const end = (name: string) =>
    Effect.gen(function* () {
      const deferred = ends.get(name)
      if (deferred !== undefined) yield* Deferred.succeed(deferred, undefined)
      for (let i = 0; i < 5; i++) yield* Effect.yieldNow()
    })
  return { add, begun, end, inTurn }
}

const tooMany = new TooManyRequests({ retryAfterSeconds: 1 })

describe("a fair queue", () => {
  it.effect("lets each lane have its turn after each other, however much waits in one", () =>
    Effect.gen(function* () {
      const { add, begun, end } = works(1, 64, 1_000)
      for (let i = 0; i < 50; i++) yield* add("a", `a${i}`)
      yield* add("b", "b0")
      yield* add("b", "b1")
      yield* add("c", "c0")
      const order = ["a0", "a1", "b0", "c0", "a2", "b1", "a3", "a4"]
      for (const name of order) yield* end(name)
      expect(begun).toEqual([...order, "a5"])
    })
  )

  it.effect("has so many under way as it may, and no more", () =>
    Effect.gen(function* () {
      const { add, begun, end } = works(4, 64, 1_000)
      for (let i = 0; i < 9; i++) yield* add("a", `a${i}`)
      expect(begun).toHaveLength(4)
      yield* end("a2")
      expect(begun).toHaveLength(5)
      for (const name of ["a0", "a1", "a3", "a4", "a5", "a6", "a7", "a8"]) yield* end(name)
      expect(begun).toHaveLength(9)
      // All places are free again.
      for (let i = 10; i < 19; i++) yield* add("a", `a${i}`)
      expect(begun).toHaveLength(13)
    })
  )

  it.effect("refuses what finds its lane full, and lets the other lanes go on", () =>
    Effect.gen(function* () {
      const { add, begun, end, inTurn } = works(1, 3, 1_000)
      yield* add("a", "under way")
      for (let i = 0; i < 3; i++) yield* add("a", `a${i}`)
      expect(yield* Effect.flip(inTurn("a", Effect.void))).toEqual(tooMany)
      yield* add("b", "b0")
      yield* end("under way")
      yield* end("a0")
      expect(begun).toEqual(["under way", "a0", "b0"])
    })
  )

  it.effect("refuses what finds all of it full", () =>
    Effect.gen(function* () {
      const { add, inTurn } = works(1, 3, 4)
      yield* add("a", "under way")
      for (let i = 0; i < 4; i++) yield* add(`lane ${i}`, `${i}`)
      expect(yield* Effect.flip(inTurn("another", Effect.void))).toEqual(tooMany)
    })
  )

  it.effect("goes on after work that fails, dies or is interrupted", () =>
    Effect.gen(function* () {
      const { add, begun, inTurn } = works(1, 3, 4)
      expect(yield* Effect.flip(inTurn("a", Effect.fail("no")))).toBe("no")
      yield* Effect.exit(inTurn("a", Effect.die("broken")))
      const fiber = yield* add("a", "interrupted")
      yield* Fiber.interrupt(fiber)
      yield* add("a", "next")
      expect(begun).toEqual(["interrupted", "next"])
    })
  )
})
