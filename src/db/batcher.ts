import { Cause, Chunk, Effect, Exit, FiberSet, Option, type Scope } from "effect"
import { Timing } from "../shared/timing.ts"
import { isRepeatable } from "./driver/index.ts"
import { failsAgain } from "./sql.ts"

interface Call<Item, Result> {
  readonly item: Item
  readonly answer: (exit: Exit.Exit<Option.Option<Result>>) => void
  /** The caller no longer waits. */
  hasLeft: boolean
  /** It was in a batch with others, without a result of its own. */
  isAlone: boolean
}

/** Calls whose items are in one batch after another. */
interface Queue<Item, Result> {
  readonly key: unknown
  calls: Array<Call<Item, Result>>
}

/** An item of a batch, and its calls: more than one if their items were merged. */
interface Entry<Item, Result> {
  readonly item: Item
  readonly calls: ReadonlyArray<Call<Item, Result>>
  readonly queue: Queue<Item, Result>
}

export interface BatcherOptions<Item> {
  /** Items of one key are never in one batch, but one after another. By default, each item has a key of its own. */
  readonly keyOf?: (item: Item) => string
  /** A batch has items of one kind. By default, all are of one kind. */
  readonly kindOf?: (item: Item) => string
  /** Merges two waiting items of one key, the earlier one first; undefined if they cannot be merged. Both callers get the result of the merged one. */
  readonly merge?: (first: Item, second: Item) => Item | undefined
  /** The size of an item (bytes); by default, items count as small. */
  readonly sizeOf?: (item: Item) => number
  /** A statement with several items may leave some out, such as those whose row is locked. They follow again, each alone. */
  readonly mayLeaveOut?: boolean
}

/** The most items of a batch, and the most calls that one item stands for. */
const most = { items: 200, merged: 32 } as const

/** The most bytes that the items of a batch have, unless one item alone has more. */
const mostBytes = 1_048_576

/** How many statements run at once. Further items wait for the next one. */
const atOnce = 2

/** Whether Postgres has rolled a statement back for the sake of one of its items, so that the others may be tried again. */
const isOfOne = (cause: Cause.Cause<unknown>): boolean =>
  failsAgain(cause) || Chunk.some(Cause.defects(cause), isRepeatable)

/**
 * Batches the items of many fibers into few statements, each outside any transaction: those that come while statements run are in the next batch.
 * A statement that waits for a lock delays only its own items, and those of the same keys. If Postgres refuses a statement, its items follow
 * one by one, so that only the one at fault fails. If a statement gets no answer, what waits for its keys fails with it: it waits for the
 * same row. An item whose caller has left before its statement began is left out. Ends with the scope.
 *
 * @param statement returns the results by the place of their item; an item may have none
 */
export const batcher = <Item, Result>(
  statement: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyMap<number, Result>>,
  { kindOf = () => "", keyOf, mayLeaveOut = false, merge, sizeOf = () => 0 }: BatcherOptions<Item> = {}
): Effect.Effect<(item: Item) => Effect.Effect<Option.Option<Result>>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const timing = yield* Timing
    /** Milliseconds after which a statement may be waiting for a lock. From then on, it does not count as running. */
    const slow = timing.pause("db.slow_statement")
    const run = yield* FiberSet.makeRuntime<never, void>()
    const queues = new Map<unknown, Queue<Item, Result>>()
    /** Queues that have calls, of which none is in a batch. */
    let ready: Array<Queue<Item, Result>> = []
    let running = 0
    let isStarting = false

    /** Takes the next calls of a queue that one item can stand for. */
    const takeFrom = (queue: Queue<Item, Result>): Entry<Item, Result> | undefined => {
      const calls: Array<Call<Item, Result>> = []
      let item: Item | undefined
      let taken = 0
      for (const call of queue.calls) {
        if (!call.hasLeft) {
          if (item === undefined) item = call.item
          else {
            if (call.isAlone || calls[0]?.isAlone === true || calls.length === most.merged) break
            const merged = merge?.(item, call.item)
            if (merged === undefined || sizeOf(merged) > mostBytes) break
            item = merged
          }
          calls.push(call)
        }
        taken++
      }
      queue.calls.splice(0, taken)
      return item === undefined ? undefined : { item, calls, queue }
    }

    /** The items of the next statement: of one kind, or a single one that has to be alone. */
    const next = (): ReadonlyArray<Entry<Item, Result>> => {
      const batch: Array<Entry<Item, Result>> = []
      const waiting: Array<Queue<Item, Result>> = []
      let kind: string | undefined
      let bytes = 0
      let isFull = false
      for (const queue of ready) {
        const first = queue.calls.find(({ hasLeft }) => !hasLeft)
        if (first === undefined) {
          queues.delete(queue.key)
          continue
        }
        const own = kindOf(first.item)
        isFull ||= batch.length === most.items || bytes > mostBytes
        const entry =
          isFull || (batch.length > 0 && (first.isAlone || own !== kind)) ? undefined : takeFrom(queue)
        if (entry === undefined) waiting.push(queue)
        else {
          kind = own
          batch.push(entry)
          bytes += sizeOf(entry.item)
          isFull = first.isAlone
        }
      }
      ready = waiting
      return batch
    }

    const end = (queue: Queue<Item, Result>): void => {
      if (queue.calls.length === 0) queues.delete(queue.key)
      else ready.push(queue)
      start()
    }

    const settle = ({ calls, queue }: Entry<Item, Result>, exit: Exit.Exit<Option.Option<Result>>): void => {
      const isUnanswered = Exit.isFailure(exit) && !isOfOne(exit.cause)
      for (const call of isUnanswered ? [...calls, ...queue.calls.splice(0)] : calls) call.answer(exit)
      end(queue)
    }

    /** Puts calls back, each to follow alone. */
    const putBack = ({ calls, queue }: Entry<Item, Result>): void => {
      for (const call of calls) call.isAlone = true
      queue.calls = [...calls, ...queue.calls]
      end(queue)
    }

    const answer = (batch: ReadonlyArray<Entry<Item, Result>>): Effect.Effect<void> =>
      Effect.map(Effect.exit(Effect.suspend(() => statement(batch.map(({ item }) => item)))), (exit) => {
        const wasOfOne = Exit.isFailure(exit) && isOfOne(exit.cause)
        for (const [place, entry] of batch.entries()) {
          const isSingle = batch.length === 1 && entry.calls.length === 1
          const isLeftOut = mayLeaveOut && Exit.isSuccess(exit) && !exit.value.has(place)
          if (!isSingle && (wasOfOne || isLeftOut)) putBack(entry)
          else
            settle(
              entry,
              Exit.map(exit, (answers) => Option.fromNullable(answers.get(place)))
            )
        }
      })

    const round = Effect.suspend(() => {
      isStarting = false
      let counts = true
      const makeRoom = () => {
        if (!counts) return
        counts = false
        running--
        start()
      }
      const batch = next()
      start()
      const timer = timing.after(slow, makeRoom)
      return Effect.ensuring(
        batch.length === 0 ? Effect.void : answer(batch),
        Effect.sync(() => {
          timer.cancel()
          makeRoom()
        })
      )
    })

    const start = (): void => {
      if (isStarting || running === atOnce || ready.length === 0) return
      isStarting = true
      running++
      // Fibers that are about to ask do so first.
      run(Effect.zipRight(Effect.yieldNow(), round))
    }

    return (item) =>
      Effect.async((resume) => {
        const call: Call<Item, Result> = { item, answer: resume, hasLeft: false, isAlone: false }
        const key = keyOf === undefined ? call : keyOf(item)
        const queue = queues.get(key)
        if (queue === undefined) {
          const added = { key, calls: [call] }
          queues.set(key, added)
          ready.push(added)
        } else queue.calls.push(call)
        start()
        return Effect.sync(() => {
          call.hasLeft = true
        })
      })
  })
