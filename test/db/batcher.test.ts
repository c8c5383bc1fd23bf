/** Questions of many fibers, answered by few statements. */

import { SqlError } from "@effect/sql/SqlError"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import { type BatcherOptions, batcher } from "../../src/db/batcher.ts"
import { eventually } from "../support/eventually.ts"
import { withTimes } from "../support/timing.ts"

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** However busy the machine is, no statement counts as one that waits for a lock. */
const withoutLocks = withTimes({ pauses: { "db.slow_statement": 600_000 } })

const until = (what: string, condition: () => boolean) => eventually(what, condition)

it.scopedLive(
  "those that come while two statements run share the next, 200 at most, and each gets its own answer",
  () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const statements: Array<ReadonlyArray<number>> = []
      let asked = 0
      const submit = yield* batcher((items: ReadonlyArray<number>) => {
        statements.push(items)
        return Effect.as(
          Deferred.await(gate),
          new Map(items.flatMap((item, place) => (item % 3 === 0 ? [] : [[place, item * 10] as const])))
        )
      }).pipe(withoutLocks)
      const asking = (item: number) =>
        Effect.suspend(() => {
          asked++
          return submit(item)
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
    const submit = yield* batcher((items: ReadonlyArray<number>) =>
      items.includes(13) ? Effect.die(new Error("13 is refused")) : Effect.succeed(new Map(items.entries()))
    )
    const answers = yield* Effect.forEach(upTo(50), (n) => Effect.exit(submit(n)), {
      concurrency: "unbounded"
    })
    expect(answers.flatMap((answer, index) => (Exit.isFailure(answer) ? [index + 1] : []))).toStrictEqual([
      13
    ])
    expect(answers[49]).toStrictEqual(Exit.succeed(Option.some(50)))
  })
)

it.scopedLive("statements that wait for a lock do not keep others waiting", () =>
  Effect.gen(function* () {
    const locked = yield* Deferred.make<void>()
    const submit = yield* batcher((items: ReadonlyArray<string>) =>
      Effect.as(items.includes("free") ? Effect.void : Deferred.await(locked), new Map(items.entries()))
    )
    const waiting = []
    for (const item of ["first", "second", "third"]) {
      waiting.push(yield* Effect.fork(submit(item)))
      yield* Effect.yieldNow()
    }
    expect(yield* submit("free")).toStrictEqual(Option.some("free"))
    yield* Deferred.succeed(locked, undefined)
    expect(yield* Fiber.join(Fiber.all(waiting))).toStrictEqual(["first", "second", "third"].map(Option.some))
  })
)

interface Write {
  readonly row: string
  readonly values: ReadonlyArray<number>
}

const write = (row: string, ...values: ReadonlyArray<number>): Write => ({ row, values })

/** Statements that begin when they are asked, and end when the test says so. Their answers are the values of the items. */
const gated = Effect.fnUntraced(function* (options: BatcherOptions<Write>, isLeftOut = (_: Write) => false) {
  const begun: Array<ReadonlyArray<Write>> = []
  const gates: Array<Deferred.Deferred<void>> = []
  const submit = yield* batcher(
    (items: ReadonlyArray<Write>) =>
      Effect.gen(function* () {
        const gate = yield* Deferred.make<void>()
        begun.push(items)
        gates.push(gate)
        yield* Deferred.await(gate)
        const answers = items.map((item, place) => [place, item.values] as const)
        return new Map(
          items.length === 1 ? answers : answers.filter((_, place) => !isLeftOut(items[place] ?? write("")))
        )
      }),
    { keyOf: ({ row }: Write) => row, ...options }
  ).pipe(withoutLocks)
  /** Every fiber has run until it waits. */
  const settled = Effect.repeatN(Effect.yieldNow(), 50)
  const begin = (item: Write) => Effect.zipLeft(Effect.fork(submit(item)), settled)
  const end = (statement: number) =>
    Effect.zipRight(
      Effect.forEach(gates.slice(statement, statement + 1), (gate) => Deferred.succeed(gate, undefined)),
      settled
    )
  return { begin, begun, end }
})

const merge = (first: Write, second: Write) => write(first.row, ...first.values, ...second.values)

it.scopedLive("items of one key are in one batch after another, those of other keys meanwhile", () =>
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

it.scopedLive("waiting items of one key are merged, in their order, up to 1 MiB", () =>
  Effect.gen(function* () {
    const sizeOf = ({ values }: Write) => values.reduce((sum, value) => sum + value, 0)
    const { begin, begun, end } = yield* gated({ merge, sizeOf })
    yield* begin(write("a", 1))
    const merged = [
      yield* begin(write("a", 2)),
      yield* begin(write("a", 3)),
      yield* begin(write("a", 1_048_571))
    ]
    const tooLarge = yield* begin(write("a", 4))
    yield* end(0)
    expect(begun[1]).toStrictEqual([write("a", 2, 3, 1_048_571)])
    yield* end(1)
    for (const one of merged) expect(yield* Fiber.join(one)).toStrictEqual(Option.some([2, 3, 1_048_571]))
    expect(begun[2]).toStrictEqual([write("a", 4)])
    yield* end(2)
    expect(yield* Fiber.join(tooLarge)).toStrictEqual(Option.some([4]))
  })
)

it.scopedLive("an item that the statement leaves out follows again, and merged ones each alone", () =>
  Effect.gen(function* () {
    const { begin, begun, end } = yield* gated(
      { merge, mayLeaveOut: true },
      ({ row }: Write) => row === "locked"
    )
    yield* begin(write("x"))
    yield* begin(write("y"))
    const left = [yield* begin(write("locked", 1)), yield* begin(write("locked", 2))]
    const free = yield* begin(write("free", 3))
    yield* end(0)
    expect(begun[2]).toStrictEqual([write("locked", 1, 2), write("free", 3)])
    yield* end(2)
    expect(yield* Fiber.join(free)).toStrictEqual(Option.some([3]))
    expect(begun[3]).toStrictEqual([write("locked", 1)])
    const later = yield* begin(write("locked", 4))
    yield* end(3)
    expect(begun[4]).toStrictEqual([write("locked", 2)])
    yield* end(4)
    expect(begun[5]).toStrictEqual([write("locked", 4)])
    yield* end(5)
    const answers = yield* Effect.forEach([...left, later], Fiber.join)
    expect(answers).toStrictEqual([[1], [2], [4]].map(Option.some))
  })
)

it.scopedLive("an item whose caller has left before its statement began is left out", () =>
  Effect.gen(function* () {
    const { begin, begun, end } = yield* gated({})
    yield* begin(write("a", 1))
    yield* Fiber.interrupt(yield* begin(write("a", 2)))
    const last = yield* begin(write("a", 3))
    yield* end(0)
    expect(begun).toStrictEqual([[write("a", 1)], [write("a", 3)]])
    yield* end(1)
    expect(yield* Fiber.join(last)).toStrictEqual(Option.some([3]))
    yield* begin(write("a", 4))
    expect(begun[2]).toStrictEqual([write("a", 4)])
  })
)

it.scopedLive("a batch has items of one kind; those of a key keep their order", () =>
  Effect.gen(function* () {
    const kindOf = ({ values }: Write) => (Number(values[0]) < 10 ? "small" : "large")
    const { begin, begun, end } = yield* gated({ kindOf })
    yield* begin(write("x", 1))
    yield* begin(write("y", 2))
    for (const [row, value] of [
      ["a", 3],
      ["b", 30],
      ["a", 40],
      ["c", 4]
    ] as const)
      yield* begin(write(row, value))
    yield* end(0)
    expect(begun[2]).toStrictEqual([write("a", 3), write("c", 4)])
    yield* end(1)
    expect(begun[3]).toStrictEqual([write("b", 30)])
    yield* end(2)
    expect(begun[4]).toStrictEqual([write("a", 40)])
  })
)

it.scopedLive("if a statement gets no answer, what waits for its keys fails with it", () =>
  Effect.gen(function* () {
    const lost = yield* Deferred.make<void>()
    let asked = 0
    const submit = yield* batcher(
      (items: ReadonlyArray<number>) =>
        Effect.suspend(() => {
          asked++
          return items.includes(3)
            ? Effect.succeed(new Map([[0, "three"]]))
            : Effect.zipRight(Deferred.await(lost), Effect.die(new SqlError({ cause: new Error("lost") })))
        }),
      { keyOf: (item) => (item === 3 ? "other" : "one") }
    )
    const fibers = []
    for (const item of [1, 2]) {
      fibers.push(yield* Effect.fork(Effect.exit(submit(item))))
      yield* Effect.repeatN(Effect.yieldNow(), 50)
    }
    expect(yield* submit(3)).toStrictEqual(Option.some("three"))
    yield* Deferred.succeed(lost, undefined)
    const exits = yield* Effect.forEach(fibers, Fiber.join)
    expect(exits.map(Exit.isFailure)).toEqual([true, true])
    expect(asked).toBe(2)
  })
)
