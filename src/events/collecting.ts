import { Context, Effect, Layer, Queue } from "effect"
import { onRecorded } from "../db/outbox.ts"
import { eventsCollectedAgo } from "../observability/metrics.ts"
import { backgroundAtPace } from "../shared/background.ts"
import { Timing } from "../shared/timing.ts"
import { Events } from "./service.ts"

/** Whether this process records no events itself: nobody tells it of those of others, so that it looks often. */
export class OnlyOthersRecord extends Context.Reference<OnlyOthersRecord>()(
  "doorlock/events/OnlyOthersRecord",
  { defaultValue: () => false }
) {}

/** Transactions since the last look, from which on the next one waits for more of them. */
const many = 10

/** Calls `collect` again and again until the scope ends: soon after a transaction of this process that may have recorded events has committed. */
export const collecting = (collect: Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const { pause, sleep } = yield* Timing
    const usual = (yield* OnlyOthersRecord) ? pause("events.of_others") : undefined
    const signals = yield* Queue.sliding<void>(1)
    /** Transactions since the last look, and those between it and the one before. */
    let [recorded, recordedBefore] = [0, 0]
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
    const round = Effect.gen(function* () {
      // The look finds all that was committed before it.
      yield* Queue.takeAll(signals)
      recordedBefore = recorded
      recorded = 0
      yield* look
      return usual
    })
    const woken = Effect.zipRight(
      Queue.take(signals),
      Effect.suspend(() => sleep(recordedBefore < many ? "events.first" : "events.busy"))
    )
    yield* backgroundAtPace("events.collect", round, woken)
  })

/**
 * Moves events from the outbox to the log all the time, so that the outbox stays small. Before that, creates the partitions of the log:
 * the service may not have run for weeks.
 */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(Events, ({ collect, rollPartitions }) =>
    rollPartitions.pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("The log of events could not be prepared", cause)),
      Effect.zipRight(collecting(collect))
    )
  )
)
