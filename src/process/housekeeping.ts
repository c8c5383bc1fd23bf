import { Effect, Fiber, Layer } from "effect"
import { Anchoring } from "../audit/anchoring-service.ts"
import { Audit } from "../audit/service.ts"
import { allHousekeeping } from "../feature.ts"
import { features } from "../features.ts"
import { backgroundAtPace } from "../shared/background.ts"
import { Timing } from "../shared/timing.ts"

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

export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { anchor } = yield* Anchoring
    const { notesWritten } = yield* Audit
    const { within } = yield* Timing
    // The last anchor covers the pending notes.
    yield* Effect.addFinalizer(() =>
      Effect.zipRight(
        within("audit.last_notes", Effect.interruptible(notesWritten)),
        anchor("audit.last_anchor")
      )
    )
    const first = yield* Effect.forkScoped(anchor("audit.anchor"))
    // It logs before the program reports that it listens, unless the store hangs.
    yield* within("audit.first_anchor", Fiber.await(first))
    yield* backgroundAtPace("audit.anchoring", Effect.as(anchor("audit.anchor"), undefined))
    yield* backgroundAtPace("process.housekeeping", Effect.as(tidy, undefined))
  })
)
