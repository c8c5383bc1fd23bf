/** Questions of many fibers, answered by few statements. */

import { SqlError } from "@effect/sql/SqlError"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import { type TogetherOptions, together } from "../../src/db/together.ts"
import { eventually } from "../support/eventually.ts"

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

const until = (what: string, condition: () => boolean) => eventually(what, Effect.sync(condition))

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

interface Write {
  readonly row: string
  readonly values: ReadonlyArray<number>
}

const write = (row: string, ...values: ReadonlyArray<number>): Write => ({ row, values })

/** Statements that begin when they are asked, and end when the test says so. Their answers are the values of the questions. */
const gated = Effect.fnUntraced(function* (options: TogetherOptions<Write>, isLeftOut = (_: Write) => false) {
  const begun: Array<ReadonlyArray<Write>> = []
  const gates: Array<Deferred.Deferred<void>> = []
  const ask = yield* together(
    (questions: ReadonlyArray<Write>) =>
      Effect.gen(function* () {
        const gate = yield* Deferred.make<void>()
        begun.push(questions)
        gates.push(gate)
        yield* Deferred.await(gate)
        const answers = questions.map((question, place) => [place, question.values] as const)
        return new Map(
          questions.length === 1
            ? answers
            : answers.filter((_, place) => !isLeftOut(questions[place] ?? write("")))
        )
      }),
    { laneOf: ({ row }: Write) => row, ...options }
  )
  /** Every fiber has run until it waits. */
  const settled = Effect.repeatN(Effect.yieldNow(), 50)
  const begin = (question: Write) => Effect.zipLeft(Effect.fork(ask(question)), settled)
  const end = (statement: number) =>
    Effect.zipRight(
      Effect.forEach(gates.slice(statement, statement + 1), (gate) => Deferred.succeed(gate, undefined)),
      settled
    )
  return { begin, begun, end }
})

it.scopedLive("questions of one lane are answered one after another, those of other lanes meanwhile", () =>
  Effect.gen(function* () {
    const { begin, begun, end } = yield* gated({})
    const first = yield* begin(write("a", 1))
    const second = yield* begin(write("a", 2))
    const other = yield* begin(write("b", 3))
    expect(begun).toStrictEqual([[write("a", 1)], [write("b", 3)]])
    yield* end(1)
    expect(yield* Fiber.join(other)).toStrictEqual(Option.some([3]))
    expect(begun.length).toBe(2)
    yield* end(0)
    expect(begun[2]).toStrictEqual([write("a", 2)])
    yield* end(2)
    expect(yield* Fiber.join(Fiber.zip(first, second))).toStrictEqual([Option.some([1]), Option.some([2])])
  })
)

it.scopedLive("if a statement gets no answer, what waits in its lane fails with it", () =>
  Effect.gen(function* () {
    const lost = yield* Deferred.make<void>()
    let asked = 0
    const ask = yield* together(
      (questions: ReadonlyArray<number>) =>
        Effect.suspend(() => {
          asked++
          return questions.includes(3)
            ? Effect.succeed(new Map([[0, "three"]]))
            : Effect.zipRight(Deferred.await(lost), Effect.die(new SqlError({ cause: new Error("lost") })))
        }),
      { laneOf: (question) => (question === 3 ? "other" : "one") }
    )
    const fibers = []
    for (const question of [1, 2]) {
      fibers.push(yield* Effect.fork(Effect.exit(ask(question))))
      yield* Effect.repeatN(Effect.yieldNow(), 50)
    }
    expect(yield* ask(3)).toStrictEqual(Option.some("three"))
    yield* Deferred.succeed(lost, undefined)
    const exits = yield* Effect.forEach(fibers, Fiber.join)
    expect(exits.map(Exit.isFailure)).toEqual([true, true])
    expect(asked).toBe(2)
  })
)
