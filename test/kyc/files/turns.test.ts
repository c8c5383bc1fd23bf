/** In which order files are examined, and which requests are refused when too many wait. */
import { expect, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { lanesOf, queueBounds } from "../../../src/kyc/files/examination.ts"
import { FairQueue } from "../../../src/limits/fair-queue.ts"

/** Requests turns as `company/session`, from an address and with the real limits. Each turn lasts until the test ends it. */
const queueOf = (atOnce: number = queueBounds.atOnce) => {
  const queue = new FairQueue({ ...queueBounds, atOnce }, () => 0)
  const begun: Array<string> = []
  const refused: Array<string> = []
  const ends: Array<Deferred.Deferred<void>> = []
  const ask = (who: string, address = "192.0.2.1") =>
    Effect.gen(function* () {
      const [company = ""] = who.split("/")
      const end = yield* Deferred.make<void>()
      const lanes = lanesOf({ company, session: who }, address)
      const action = Effect.suspend(() => {
        begun.push(who)
        ends.push(end)
        return Deferred.await(end)
      })
      yield* queue.inTurn(lanes, action).pipe(
        Effect.catchTag("NoTurn", () => Effect.sync(() => refused.push(who))),
        Effect.fork
      )
      yield* settle
    })
  const askMany = (count: number, who: string) => Effect.replicateEffect(ask(who), count, { discard: true })
  /** Ends the nth turn. */
  const end = (index: number) =>
    Effect.gen(function* () {
      const turn = ends[index]
      if (turn !== undefined) yield* Deferred.succeed(turn, undefined)
      yield* settle
    })
  return { ask, askMany, begun, end, refused }
}

/** Runs all fibers until they wait. */
const settle = Effect.repeatN(Effect.yieldNow(), 20)

it.effect("a session has one turn at a time, and leaves the other to others", () =>
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

it.effect("a session has 8 of its company's 64 places", () =>
  Effect.gen(function* () {
    const { ask, askMany, refused } = queueOf()
    yield* askMany(1 + 8, "a/1")
    expect(refused).toEqual([])
    yield* ask("a/1")
    expect(refused).toEqual(["a/1"])
    yield* ask("b/1")
    // Seven more sessions fill the company's places. Sessions of other companies lose none.
    for (let session = 2; session <= 8; session++) yield* askMany(8, `a/${session}`)
    expect(refused).toEqual(["a/1"])
    yield* ask("a/9")
    expect(refused).toEqual(["a/1", "a/1"])
    yield* ask("b/2")
    expect(refused).toHaveLength(2)
  })
)

it.effect("companies of one network share its turns: a client elsewhere waits for one file only", () =>
  Effect.gen(function* () {
    const { ask, begun, end } = queueOf()
    for (let company = 1; company <= 14; company++) yield* ask(`free${company}/1`, `198.51.100.${company}`)
    yield* ask("honest/1", "203.0.113.1")
    yield* end(0)
    expect(begun).toEqual(["free1/1", "free2/1", "honest/1"])
  })
)
