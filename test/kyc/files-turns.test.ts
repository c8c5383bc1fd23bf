/** In which order files are examined, and who is refused when there are too many. */
import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { fairTurns, NoTurn } from "../../src/kyc/files/turns.ts"

const waiting = { all: 100, company: 50, session: 40 }

/** Asks for turns by `company/session`; each lasts until it is ended. */
const queueOf = (bounds: Partial<Parameters<typeof fairTurns>[0]> = {}) => {
  const inTurn = fairTurns({ atOnce: 2, wait: "30 seconds", waiting, ...bounds })
  const begun: Array<string> = []
  const ends: Array<Deferred.Deferred<void>> = []
  const ask = (who: string) =>
    Effect.gen(function* () {
      const [company = "", session = ""] = who.split("/")
      const end = yield* Deferred.make<void>()
      const action = Effect.suspend(() => {
        begun.push(who)
        ends.push(end)
        return Deferred.await(end)
      })
      const fiber = yield* Effect.fork(
        Effect.either(inTurn({ company, session: `${company}/${session}` }, action))
      )
      yield* settle
      return fiber
    })
  /** Ends the turn that began as the nth. */
  const end = (index: number) =>
    Effect.gen(function* () {
      const turn = ends[index]
      if (turn !== undefined) yield* Deferred.succeed(turn, undefined)
      yield* settle
    })
  return { ask, begun, end }
}

/** Lets all fibers go on as far as they can. */
const settle = Effect.repeatN(Effect.yieldNow(), 50)

it.effect("a session has one turn at a time, and leaves the other place to others", () =>
  Effect.gen(function* () {
    const { ask, begun, end } = queueOf()
    for (let file = 0; file < 6; file++) yield* ask("a/1")
    expect(begun).toEqual(["a/1"])
    yield* ask("b/1")
    expect(begun).toEqual(["a/1", "b/1"])
    yield* end(0)
    expect(begun).toEqual(["a/1", "b/1", "a/1"])
  })
)

it.effect(
  "the next turn is that of the company that had its last the longest ago, and of its sessions likewise",
  () =>
    Effect.gen(function* () {
      const { ask, begun, end } = queueOf({ atOnce: 1 })
      for (const who of ["a/1", "a/1", "a/1", "a/2", "a/2", "b/1", "b/1", "c/1"]) yield* ask(who)
      for (let turn = 0; turn < 8; turn++) yield* end(turn)
      expect(begun).toEqual(["a/1", "b/1", "c/1", "a/2", "b/1", "a/1", "a/2", "a/1"])
    })
)

it.effect("who would be one too many is refused, and who leaves makes room", () =>
  Effect.gen(function* () {
    const { ask } = queueOf({ atOnce: 1, waiting: { all: 3, company: 2, session: 1 } })
    yield* ask("a/1")
    const waits = yield* ask("a/1")
    expect(yield* Fiber.join(yield* ask("a/1"))).toEqual(Either.left(new NoTurn()))
    yield* ask("a/2")
    expect(yield* Fiber.join(yield* ask("a/3"))).toEqual(Either.left(new NoTurn()))
    yield* ask("b/1")
    expect(yield* Fiber.join(yield* ask("c/1"))).toEqual(Either.left(new NoTurn()))
    yield* Fiber.interrupt(waits)
    yield* ask("c/1")
    expect(yield* Fiber.join(yield* ask("d/1"))).toEqual(Either.left(new NoTurn()))
  })
)

it.effect("who has waited for too long is refused; a turn that has begun goes on", () =>
  Effect.gen(function* () {
    const { ask, begun, end } = queueOf({ atOnce: 1 })
    const first = yield* ask("a/1")
    const second = yield* ask("b/1")
    yield* TestClock.adjust("31 seconds")
    expect(yield* Fiber.join(second)).toEqual(Either.left(new NoTurn()))
    yield* ask("c/1")
    yield* end(0)
    expect([yield* Fiber.join(first), begun]).toEqual([Either.right(undefined), ["a/1", "c/1"]])
  })
)
