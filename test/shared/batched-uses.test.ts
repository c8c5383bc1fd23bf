import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { Background } from "../../src/shared/background.ts"
import { batchedUses } from "../../src/shared/batched-uses.ts"
import { standingBackground } from "../support/background.ts"
import { eventually } from "../support/eventually.ts"

interface Batch {
  readonly ids: ReadonlyArray<string>
  readonly agesMillis: ReadonlyArray<number>
  /** The monotonic time at which it was written. */
  readonly writtenAt: number
}

/** Batched uses that are written when `write` runs. */
const uses = (writing: Parameters<typeof batchedUses>[0]["write"]) => {
  const { background, run } = standingBackground()
  return batchedUses({
    job: "keys.uses",
    write: writing,
    retryAfter: "keys.uses_retry",
    warning: "Could not record uses",
    writesAtEnd: false
  }).pipe(
    Effect.provideService(Background, background),
    Effect.map((recordUse) => ({ recordUse, write: run("keys.uses") }))
  )
}

describe("batched uses", () => {
  it.scopedLive("are written with their age, also if an earlier batch delayed them", () =>
    Effect.gen(function* () {
      const written = yield* Queue.unbounded<Batch>()
      const mayEnd = yield* Deferred.make<void>()
      const { recordUse, write } = yield* uses((ids, agesMillis) =>
        Effect.zipRight(
          Queue.offer(written, { ids, agesMillis, writtenAt: performance.now() }),
          Deferred.await(mayEnd)
        )
      )
      recordUse("first")
      const first = yield* Effect.fork(write)
      expect((yield* Queue.take(written)).ids).toEqual(["first"])

      const before = performance.now()
      recordUse("b")
      recordUse("a")
      const after = performance.now()
      yield* eventually(
        "the uses have an age",
        () => performance.now() - after,
        (age) => age > 1
      )
      const released = performance.now()
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(first)
      yield* write

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
      const { recordUse, write } = yield* uses((ids) =>
        Effect.zipRight(
          Queue.offer(written, ids),
          writes++ === 0 ? Effect.zipRight(Deferred.await(mayFail), Effect.die("not reached")) : Effect.void
        )
      )
      recordUse("a")
      recordUse("b")
      const first = yield* Effect.fork(write)
      expect(yield* Queue.take(written)).toEqual(["a", "b"])
      recordUse("b")
      recordUse("c")
      yield* Deferred.succeed(mayFail, undefined)
      yield* Fiber.join(first)
      yield* write
      expect(yield* Queue.take(written)).toEqual(["a", "b", "c"])
    })
  )
})
