import { Effect, Fiber, Layer } from "effect"
import { Anchoring } from "../audit/anchoring-service.ts"
import { Audit } from "../audit/service.ts"
import { allHousekeeping } from "../feature.ts"
import { features } from "../features.ts"
import { backgroundAtPace } from "../shared/background.ts"
import { type TimeoutName, Timing } from "../shared/timing.ts"

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

/** Every hour, and before the process stops, once all pending notes are written. */
const anchoring = (anchor: (timeout: TimeoutName) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const { notesWritten } = yield* Audit
    const { within } = yield* Timing
    yield* Effect.addFinalizer(() =>
      Effect.zipRight(
        within("audit.last_notes", Effect.interruptible(notesWritten)),
        within("audit.last_anchor", Effect.interruptible(anchor("audit.last_parts")))
      )
    )
    yield* backgroundAtPace("audit.anchoring", Effect.as(anchor("audit.anchor"), undefined))
  })

export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { anchor } = yield* Anchoring
    const { within } = yield* Timing
    yield* anchoring(anchor)
    const first = yield* Effect.forkScoped(anchor("audit.anchor"))
    // It logs before the program reports that it listens, unless the store hangs.
    yield* within("audit.first_anchor", Fiber.await(first))
    yield* backgroundAtPace("process.housekeeping", Effect.as(tidy, undefined))
  })
)

/** A worker, and a process with `ROLE=api`, anchors the events that it wrote. Another process does everything else. */
export const ofWriter = Layer.scopedDiscard(
  Effect.flatMap(Anchoring, ({ anchorOwn }) => anchoring(anchorOwn))
)
