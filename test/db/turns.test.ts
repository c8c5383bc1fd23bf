/** Writes of one row take turns. */
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { turns } from "../../src/db/turns.ts"
import { eventually } from "../support/eventually.ts"

/** Every fiber has run until it waits. */
const settled = Effect.repeatN(Effect.yieldNow(), 20)

const hour = 3_600_000

/** Writes that begin when it is their turn, and end when the test says so. */
const writersWith = Effect.fnUntraced(function* (patience: number) {
  const inTurn = turns(patience)
  const begun: Array<string> = []
  const begin = (name: string, row: string) =>
    Effect.gen(function* () {
      const done = yield* Deferred.make<string, Error>()
      const write = Effect.zipRight(
        Effect.sync(() => begun.push(name)),
        Deferred.await(done)
      )
      const fiber = yield* Effect.fork(inTurn(row, write))
      yield* settled
      const end = Effect.zipLeft(Effect.zipRight(Deferred.succeed(done, name), Fiber.join(fiber)), settled)
      return { done, fiber, end }
    })
  return { begin, begun }
})

it.effect("writes of a row run one after another, those of another row beside them", () =>
  Effect.gen(function* () {
    const { begin, begun } = yield* writersWith(hour)
    const first = yield* begin("first", "a")
    const second = yield* begin("second", "a")
    const third = yield* begin("third", "a")
    const other = yield* begin("other", "b")
    expect(begun).toStrictEqual(["first", "other"])
    expect(yield* other.end).toBe("other")
    expect(yield* first.end).toBe("first")
    expect(begun).toStrictEqual(["first", "other", "second"])
    yield* second.end
    yield* third.end
    yield* (yield* begin("later", "a")).end
    expect(begun).toStrictEqual(["first", "other", "second", "third", "later"])
  })
)

it.effect("a write that fails, or whose caller leaves, lets the next begin", () =>
  Effect.gen(function* () {
    const { begin, begun } = yield* writersWith(hour)
    const failing = yield* begin("failing", "a")
    const leaving = yield* begin("leaving", "a")
    const left = yield* begin("left", "a")
    const last = yield* begin("last", "a")
    yield* Fiber.interrupt(left.fiber)
    yield* Deferred.fail(failing.done, new Error("refused"))
    expect((yield* Fiber.await(failing.fiber))._tag).toBe("Failure")
    yield* settled
    yield* Fiber.interrupt(leaving.fiber)
    yield* last.end
    expect(begun).toStrictEqual(["failing", "leaving", "last"])
  })
)

it.live("a write does not wait long for its turn", () =>
  Effect.gen(function* () {
    const { begin, begun } = yield* writersWith(50)
    const stuck = yield* begin("stuck", "a")
    const second = yield* begin("second", "a")
    const third = yield* begin("third", "a")
    yield* eventually(
      "both have begun",
      60_000,
      Effect.sync(() => begun.length === 3)
    )
    expect(begun.toSorted()).toStrictEqual(["second", "stuck", "third"])
    yield* third.end
    yield* stuck.end
    yield* second.end
    yield* (yield* begin("fourth", "a")).end
    expect(begun.slice(3)).toStrictEqual(["fourth"])
  })
)
