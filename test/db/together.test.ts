/** Questions of many fibers, answered by few statements. */
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import { together } from "../../src/db/together.ts"
import { eventually } from "../support/eventually.ts"

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

const until = (what: string, condition: () => boolean) => eventually(what, 60_000, Effect.sync(condition))

it.scopedLive(
  "those that come while two statements run share the next, 200 at most, and each gets its own answer",
  () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const statements: Array<ReadonlyArray<number>> = []
      let asked = 0
      const ask = yield* together((questions: ReadonlyArray<number>) => {
        statements.push(questions)
        return Effect.as(
          Deferred.await(gate),
          new Map(
            questions.flatMap((question, place) =>
              question % 3 === 0 ? [] : [[place, question * 10] as const]
            )
          )
        )
      })
      const asking = (question: number) =>
        Effect.suspend(() => {
          asked++
          return ask(question)
        })
      const fibers = []
      for (const n of [1, 2]) {
        fibers.push(yield* Effect.fork(asking(n)))
        yield* until("it is asked", () => statements.length === n)
      }
      for (const n of upTo(450).slice(2)) fibers.push(yield* Effect.fork(asking(n)))
      yield* until("all wait", () => asked === 450)
      expect(statements).toStrictEqual([[1], [2]])
      yield* Deferred.succeed(gate, undefined)
      const answers = yield* Fiber.join(Fiber.all(fibers))
      expect(answers.map(Option.getOrUndefined)).toStrictEqual(
        upTo(450).map((n) => (n % 3 === 0 ? undefined : n * 10))
      )
      expect(statements.flat().toSorted((one, other) => one - other)).toStrictEqual(upTo(450))
      expect(Math.max(...statements.map(({ length }) => length))).toBeLessThanOrEqual(200)
      expect(statements.length).toBeLessThanOrEqual(6)
    })
)

it.scopedLive("one at fault fails alone", () =>
  Effect.gen(function* () {
    const ask = yield* together((questions: ReadonlyArray<number>) =>
      questions.includes(13)
        ? Effect.die(new Error("13 is refused"))
        : Effect.succeed(new Map(questions.entries()))
    )
    const answers = yield* Effect.forEach(upTo(50), (n) => Effect.exit(ask(n)), { concurrency: "unbounded" })
    expect(answers.flatMap((answer, index) => (Exit.isFailure(answer) ? [index + 1] : []))).toStrictEqual([
      13
    ])
    expect(answers[49]).toStrictEqual(Exit.succeed(Option.some(50)))
  })
)

it.scopedLive("statements that wait for a lock do not keep others waiting", () =>
  Effect.gen(function* () {
    const locked = yield* Deferred.make<void>()
    const ask = yield* together((questions: ReadonlyArray<string>) =>
      Effect.as(
        questions.includes("free") ? Effect.void : Deferred.await(locked),
        new Map(questions.entries())
      )
    )
    const waiting = []
    for (const question of ["first", "second", "third"]) {
      waiting.push(yield* Effect.fork(ask(question)))
      yield* Effect.yieldNow()
    }
    expect(yield* ask("free")).toStrictEqual(Option.some("free"))
    yield* Deferred.succeed(locked, undefined)
    expect(yield* Fiber.join(Fiber.all(waiting))).toStrictEqual(["first", "second", "third"].map(Option.some))
  })
)
