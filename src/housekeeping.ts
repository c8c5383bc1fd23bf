import { Duration, Effect, Fiber, Layer } from "effect"
import { Anchoring } from "./audit/anchoring-service.ts"
import { Audit } from "./audit/service.ts"
import { allHousekeeping } from "./feature.ts"
import { features } from "./features.ts"

const interval = Duration.hours(1)

/** Runs all tasks. A failed task is logged, does not stop the others, and runs again in the next round. */
export const eachByItself = <R>(
  tasks: Readonly<Record<string, Effect.Effect<unknown, unknown, R>>>
): Effect.Effect<void, never, R> =>
  Effect.forEach(
    Object.entries(tasks),
    ([task, run]) =>
      Effect.catchAllCause(run, (cause) =>
        Effect.logWarning("Housekeeping failed; it is tried again later", cause).pipe(
          Effect.annotateLogs({ task })
        )
      ),
    { discard: true }
  )

/** Deletes data that no request can use any more. Any replica may do so: a second one finds nothing to delete. */
export const tidy = Effect.suspend(() => eachByItself(allHousekeeping(features)))

/** How long start-up waits for the first anchor. */
const firstAnchorPatience = "2 seconds"

/** How long the database may delay the parts of the hourly anchor that need no database. */
const patience = "5 minutes"

/**
 * How long a stopping process waits for each step of its last anchor. A database that does not respond must not prevent
 * the process from anchoring what it has in memory, and a supervisor may kill the process after ten seconds.
 */
const lastSteps = { notes: "3 seconds", database: "3 seconds", all: "6 seconds" } as const

/** Runs `anchor` every hour, and once more before the process stops, after all pending notes are written. */
const anchoring = (anchor: (patience: Duration.DurationInput) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const { notesWritten } = yield* Audit
    yield* Effect.addFinalizer(() =>
      Effect.timeoutOption(Effect.interruptible(notesWritten), lastSteps.notes).pipe(
        Effect.zipRight(Effect.timeoutOption(Effect.interruptible(anchor(lastSteps.database)), lastSteps.all))
      )
    )
    yield* anchor(patience).pipe(Effect.delay(interval), Effect.forever, Effect.forkScoped)
  })

/** Cleans up every hour, and anchors the audit trails at the start, every hour, and before the process stops. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { anchor } = yield* Anchoring
    yield* anchoring(anchor)
    const first = yield* Effect.forkScoped(anchor(patience))
    // The first anchor logs before the program reports that it listens; but a store that hangs must not delay the
    // start.
    yield* Effect.timeoutOption(Fiber.await(first), firstAnchorPatience)
    yield* tidy.pipe(Effect.delay(interval), Effect.forever, Effect.forkScoped)
  })
)

/** The tasks of a worker: it anchors the audit events that it wrote itself. Its parent process does everything else. */
export const ofWorker = Layer.scopedDiscard(
  Effect.flatMap(Anchoring, ({ anchorOwn }) => anchoring(anchorOwn))
)
