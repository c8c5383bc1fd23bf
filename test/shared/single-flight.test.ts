import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { singleFlight } from "../../src/shared/single-flight.ts"

it.scoped("one making at a time; those who ask meanwhile share the next one", () =>
  Effect.gen(function* () {
    const share = yield* singleFlight<number>()
    const gates = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    let begun = 0
    const make = Effect.suspend(() => {
      const nth = begun++
      const gate = gates[nth]
      return Effect.as(gate === undefined ? Effect.void : Deferred.await(gate), nth)
    })
    const ask = Effect.zipLeft(Effect.fork(share("a", make)), Effect.yieldNow({ priority: 1 }))
    const first = yield* ask
    const crowd = yield* Effect.replicateEffect(ask, 10)
    expect(begun).toBe(1)
    // Another key does not wait.
    expect(yield* share("b", Effect.succeed(7))).toBe(7)
    yield* Fiber.interrupt(crowd[0] ?? first)
    for (const gate of gates) yield* Deferred.succeed(gate, undefined)
    expect(yield* Fiber.join(first)).toBe(0)
    expect(yield* Effect.forEach(crowd.slice(1), Fiber.join)).toEqual(Array(9).fill(1))
    expect(begun).toBe(2)
  })
)

it.scoped("a failure is that of all who share the making, and of nobody later", () =>
  Effect.gen(function* () {
    const share = yield* singleFlight<number>()
    const failed = yield* Effect.exit(share("a", Effect.die("broken")))
    expect(failed._tag).toBe("Failure")
    expect(yield* share("a", Effect.succeed(1))).toBe(1)
  })
)
