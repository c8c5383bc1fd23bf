import { Context, Effect, Layer, Queue } from "effect"
import { onRecorded } from "../db/outbox.ts"
import { eventsCollectedAgo } from "../observability/metrics.ts"
import { Events } from "./service.ts"

interface Pace {
  readonly first: number
  readonly busy: number
  readonly idle: number
}

/**
 * How long the collector waits before it looks at the outbox, in milliseconds: `first` after a transaction of this process that may have
 * recorded events has committed, or `busy` if there were `many` such transactions before the last look: a look costs as much as moving dozens
 * of events. Other processes' events wait for `idle` at most. A look at an empty outbox is one short statement that locks nothing.
 */
export class CollectPace extends Context.Reference<CollectPace>()("doorlock/events/CollectPace", {
  defaultValue: (): Pace => ({ first: 10, busy: 50, idle: 500 })
}) {}

const many = 10

/** Calls `collect` at this pace until the scope ends. */
export const collecting = (collect: Effect.Effect<unknown>, { busy, first, idle }: Pace) =>
  Effect.gen(function* () {
    const signals = yield* Queue.sliding<void>(1)
    /** Transactions since the last look. */
    let recorded = 0
    yield* onRecorded(() => {
      recorded++
      Queue.unsafeOffer(signals, undefined)
    })
    let collectedAt = performance.now()
    let isFailing = false
    yield* eventsCollectedAgo.from(() => (performance.now() - collectedAt) / 1_000)
    const look = collect.pipe(
      Effect.tap(
        Effect.sync(() => {
          collectedAt = performance.now()
          isFailing = false
        })
      ),
      Effect.catchAllCause((cause) =>
        Effect.suspend(() => {
          // Once per failure, however often it is tried.
          const log = isFailing ? Effect.logDebug : Effect.logWarning
          isFailing = true
          return log("Events cannot be moved to the log; trying again", cause)
        })
      )
    )
    /** Waits, looks, and returns how many transactions had been recorded since the last look. */
    const turn = (recordedBefore: number) =>
      Effect.gen(function* () {
        const signalled = yield* Effect.timeoutOption(Queue.take(signals), idle)
        if (signalled._tag === "Some") yield* Effect.sleep(recordedBefore < many ? first : busy)
        // The look finds all that was committed before it.
        yield* Queue.takeAll(signals)
        const count = recorded
        recorded = 0
        yield* look
        return count
      })
    yield* Effect.iterate(0, { while: () => true, body: turn }).pipe(Effect.forkScoped)
  })

/**
 * Moves events from the outbox to the log all the time, so that the outbox stays small. Before that, creates the partitions of the log:
 * the service may not have run for weeks.
 */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([Events, CollectPace]), ([{ collect, rollPartitions }, pace]) =>
    rollPartitions.pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("The log of events could not be prepared", cause)),
      Effect.zipRight(collecting(collect, pace))
    )
  )
)
