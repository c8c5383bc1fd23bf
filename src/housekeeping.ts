import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { Anchoring } from "./audit/anchoring-service.ts"
import { Audit } from "./audit/service.ts"
import { allHousekeeping } from "./feature.ts"
import { features } from "./features.ts"

const interval = Duration.hours(1)

/** Runs all tasks; what fails of them is logged, stops none of the others, and is tried again with the next round. */
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

/** Deletes what no request can use any more. Every replica may do it: the second finds nothing. */
export const tidy = Effect.suspend(() => eachByItself(allHousekeeping(features)))

/** How long the start waits for the first anchor. */
const firstAnchorPatience = "2 seconds"

/** How long the database may keep the hourly anchor from what needs no database. */
const patience = "5 minutes"

/**
 * How long a process that ends waits for each step of its last anchor: a database that does not answer must not keep it from
 * anchoring what it remembers, and whoever stopped it may kill it after ten seconds.
 */
const lastSteps = { notes: "3 seconds", database: "3 seconds", all: "6 seconds" } as const

/** Runs `anchor` every hour, and before the process ends, once all is written that was to be noted. */
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

/** Tidies up every hour, and anchors the audit trails at the start, every hour, and before the process ends. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { anchor } = yield* Anchoring
    yield* anchoring(anchor)
    const first = yield* Effect.forkScoped(anchor(patience))
    // What it logs comes before what the program says when it listens; but a store that hangs holds up nothing.
    yield* Effect.timeoutOption(Fiber.await(first), firstAnchorPatience)
    yield* tidy.pipe(Effect.delay(interval), Effect.forever, Effect.forkScoped)
  })
)

/** What is left to a worker: to anchor what it has written itself. The process that runs it does all else. */
export const ofWorker = Layer.scopedDiscard(
  Effect.flatMap(Anchoring, ({ anchorOwn }) => anchoring(anchorOwn))
)
