import { Duration, Effect, Fiber, Layer, Schedule } from "effect"
import { Anchoring } from "../audit/anchoring-service.ts"
import { Audit } from "../audit/service.ts"
import { allHousekeeping } from "../feature.ts"
import { features } from "../features.ts"

const interval = Duration.hours(1)

/** Soon after the start, because a process may live for less than an hour; but not while it has to answer its first requests. */
const firstRound = Duration.minutes(5)

/** A failed task is logged and runs again in the next round. */
export const eachByItself = <R>(
  tasks: Readonly<Record<string, Effect.Effect<unknown, unknown, R>>>
): Effect.Effect<void, never, R> =>
  Effect.forEach(
    Object.entries(tasks),
    ([task, run]) =>
      Effect.catchAllCause(run, (cause) =>
        Effect.logWarning("Housekeeping failed; trying again later", cause).pipe(
          Effect.annotateLogs({ task })
        )
      ),
    { discard: true }
  )

/** Deletes data that no request can use any more. Any replica may do so, at any time. */
export const tidy = Effect.suspend(() => eachByItself(allHousekeeping(features)))

/** Runs the tasks some minutes after the start, and then every hour, until the scope ends. */
export const hourly = <R>(tasks: Effect.Effect<void, never, R>) =>
  Effect.repeat(tasks, Schedule.spaced(interval)).pipe(Effect.delay(firstRound), Effect.forkScoped)

/** How long start-up waits for the first anchor. */
const firstAnchorTimeout = "2 seconds"

/** How long the database may delay the parts of the hourly anchor that do not need it. */
const timeout = "5 minutes"

/** A supervisor may kill us after 10 s; even if the database hangs, what is in memory must be anchored. */
const lastSteps = { notes: "3 seconds", database: "3 seconds", all: "6 seconds" } as const

/** Every hour, and before the process stops, once all pending notes are written. */
const anchoring = (anchor: (timeout: Duration.DurationInput) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const { notesWritten } = yield* Audit
    yield* Effect.addFinalizer(() =>
      Effect.timeoutOption(Effect.interruptible(notesWritten), lastSteps.notes).pipe(
        Effect.zipRight(Effect.timeoutOption(Effect.interruptible(anchor(lastSteps.database)), lastSteps.all))
      )
    )
    yield* anchor(timeout).pipe(Effect.delay(interval), Effect.forever, Effect.forkScoped)
  })

export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { anchor } = yield* Anchoring
    yield* anchoring(anchor)
    const first = yield* Effect.forkScoped(anchor(timeout))
    // It logs before the program reports that it listens, unless the store hangs.
    yield* Effect.timeoutOption(Fiber.await(first), firstAnchorTimeout)
    yield* hourly(tidy)
  })
)

/** A worker, and a process with `ROLE=api`, anchors the events that it wrote. Another process does everything else. */
export const ofWriter = Layer.scopedDiscard(
  Effect.flatMap(Anchoring, ({ anchorOwn }) => anchoring(anchorOwn))
)
