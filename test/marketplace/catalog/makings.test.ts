/** Descriptions are built one at a time. However many changes there are, at most one rebuild waits. */
import { expect, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { makings } from "../../../src/marketplace/catalog/makings.ts"

const setUp = Effect.gen(function* () {
  const { changed, of } = yield* makings<number>()
  const gates: Array<Deferred.Deferred<void>> = []
  const begun = Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const number = gates.push(gate)
    yield* Deferred.await(gate)
    return number
  })
  const settled = Effect.repeatN(Effect.yieldNow(), 20)
  return {
    changed,
    ask: (name: string) => Effect.zipLeft(of(name, begun), settled),
    finish: (number: number) =>
      Effect.zipRight(
        Effect.forEach(gates.slice(number - 1, number), (gate) => Deferred.succeed(gate, undefined)),
        settled
      ),
    count: () => gates.length
  }
})

it.scoped("one runs and one waits, however many requests and changes there are", () =>
  Effect.gen(function* () {
    const { ask, changed, count, finish } = yield* setUp
    const first = yield* ask("a")
    expect(yield* ask("a")).toBe(first)
    const later: Array<Deferred.Deferred<number>> = []
    for (let n = 0; n < 20; n++) {
      changed()
      later.push(yield* ask("a"))
    }
    expect([count(), new Set(later).size]).toEqual([1, 1])
    yield* finish(1)
    expect(yield* Deferred.await(first)).toBe(1)
    expect(count()).toBe(2)
    // It was begun after the last change.
    expect(yield* ask("a")).toBe(later[0])
    yield* finish(2)
    for (const one of later) expect(yield* Deferred.await(one)).toBe(2)
    yield* ask("a")
    expect(count()).toBe(3)
  })
)

it.scoped("builds of other names take turns, one at a time", () =>
  Effect.gen(function* () {
    const { ask, count, finish } = yield* setUp
    const asked = yield* Effect.forEach(["a", "b", "c"], ask)
    expect(count()).toBe(1)
    yield* finish(1)
    expect(count()).toBe(2)
    yield* finish(2)
    yield* finish(3)
    expect(yield* Effect.forEach(asked, Deferred.await)).toEqual([1, 2, 3])
  })
)
