import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Queue } from "effect"
import { batchedUses } from "../../src/shared/batched-uses.ts"

interface Batch {
  readonly ids: ReadonlyArray<string>
  readonly agesMillis: ReadonlyArray<number>
  /** The monotonic time at which it was written. */
  readonly writtenAt: number
}

const options = { retryAfter: 0, warning: "Could not record uses", writesAtEnd: false }

describe("batched uses", () => {
  it.scopedLive("are written with their age, also if an earlier batch delayed them", () =>
    Effect.gen(function* () {
      const written = yield* Queue.unbounded<Batch>()
      const mayEnd = yield* Deferred.make<void>()
      const recordUse = yield* batchedUses({
        ...options,
        write: (ids, agesMillis) =>
          Effect.zipRight(
            Queue.offer(written, { ids, agesMillis, writtenAt: performance.now() }),
            Deferred.await(mayEnd)
          )
      })
      recordUse("first")
      expect((yield* Queue.take(written)).ids).toEqual(["first"])

      const before = performance.now()
      recordUse("b")
      recordUse("a")
      const after = performance.now()
      yield* Effect.sleep("20 millis")
      const released = performance.now()
      yield* Deferred.succeed(mayEnd, undefined)

      const { agesMillis, ids, writtenAt } = yield* Queue.take(written)
      expect(ids).toEqual(["a", "b"])
      for (const age of agesMillis) {
        expect(age).toBeGreaterThanOrEqual(released - after)
        expect(age).toBeLessThanOrEqual(writtenAt - before)
      }
    })
  )

  it.scopedLive("are written again after a failure, unless the id was used since", () =>
    Effect.gen(function* () {
      const written = yield* Queue.unbounded<ReadonlyArray<string>>()
      const mayFail = yield* Deferred.make<void>()
      let writes = 0
      const recordUse = yield* batchedUses({
        ...options,
        write: (ids) =>
          Effect.zipRight(
            Queue.offer(written, ids),
            writes++ === 0 ? Effect.zipRight(Deferred.await(mayFail), Effect.die("not reached")) : Effect.void
          )
      })
      recordUse("a")
      recordUse("b")
      expect(yield* Queue.take(written)).toEqual(["a", "b"])
      recordUse("b")
      recordUse("c")
      yield* Deferred.succeed(mayFail, undefined)
      expect(yield* Queue.take(written)).toEqual(["a", "b", "c"])
    })
  )
})
