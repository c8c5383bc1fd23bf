/** In which order files are examined, and who is refused when there are too many. */
import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { lanesOf, queueBounds } from "../../../src/kyc/files/examination.ts"
import { FairQueue } from "../../../src/limits/fair-queue.ts"

/** Asks for turns by `company/session`, by the real bounds; each lasts until it is ended. */
const queueOf = (atOnce: number = queueBounds.atOnce) => {
  const queue = new FairQueue({ ...queueBounds, atOnce }, () => 0)
  const begun: Array<string> = []
  const refused: Array<string> = []
  const ends: Array<Deferred.Deferred<void>> = []
  const ask = (who: string) =>
    Effect.gen(function* () {
      const [company = ""] = who.split("/")
      const end = yield* Deferred.make<void>()
      const action = Effect.suspend(() => {
        begun.push(who)
        ends.push(end)
        return Deferred.await(end)
      })
      yield* queue.inTurn(lanesOf({ company, session: who }), action).pipe(
        Effect.catchTag("NoTurn", () => Effect.sync(() => refused.push(who))),
        Effect.fork
      )
      yield* settle
    })
  const askMany = (count: number, who: string) => Effect.replicateEffect(ask(who), count, { discard: true })
  /** Ends the turn that began as the nth. */
  const end = (index: number) =>
    Effect.gen(function* () {
      const turn = ends[index]
      if (turn !== undefined) yield* Deferred.succeed(turn, undefined)
      yield* settle
    })
  return { ask, askMany, begun, end, refused }
}

/** Lets all fibers go on as far as they can. */
const settle = Effect.repeatN(Effect.yieldNow(), 20)

it.effect("a session has one turn at a time, and leaves the other place to others", () =>
  Effect.gen(function* () {
    const { ask, askMany, begun, end } = queueOf()
    yield* askMany(6, "a/1")
    expect(begun).toEqual(["a/1"])
    yield* ask("b/1")
    expect(begun).toEqual(["a/1", "b/1"])
    yield* end(0)
    expect(begun).toEqual(["a/1", "b/1", "a/1"])
  })
)

it.effect(
  "the next turn is that of the company that has waited the longest since its last, and of its sessions likewise",
  () =>
    Effect.gen(function* () {
      const { ask, begun, end } = queueOf(1)
      for (const who of ["a/1", "a/1", "a/1", "a/2", "a/2", "b/1", "b/1", "c/1"]) yield* ask(who)
      for (let turn = 0; turn < 8; turn++) yield* end(turn)
      expect(begun).toEqual(["a/1", "a/1", "b/1", "c/1", "a/2", "b/1", "a/1", "a/2"])
    })
)

it.effect("of the 64 places of its company a session has 8", () =>
  Effect.gen(function* () {
    const { ask, askMany, refused } = queueOf()
    yield* askMany(1 + 8, "a/1")
    expect(refused).toEqual([])
    yield* ask("a/1")
    expect(refused).toEqual(["a/1"])
    yield* ask("b/1")
    // Seven sessions more fill the company's places, and the other sessions of others lose none.
    for (let session = 2; session <= 8; session++) yield* askMany(8, `a/${session}`)
    expect(refused).toEqual(["a/1"])
    yield* ask("a/9")
    expect(refused).toEqual(["a/1", "a/1"])
    yield* ask("b/2")
    expect(refused).toHaveLength(2)
  })
)

it.effect("when all 256 places are taken, the company that has most of them loses one", () =>
  Effect.gen(function* () {
    const { ask, askMany, refused } = queueOf()
    yield* ask("x/1")
    yield* ask("y/1")
    for (const company of ["a", "b", "c", "d"]) {
      for (let session = 1; session <= 8; session++) yield* askMany(8, `${company}/${session}`)
    }
    expect(refused).toEqual([])
    yield* ask("z/1")
    expect(refused).toEqual(["a/1"])
  })
)
