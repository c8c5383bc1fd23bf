import { Duration, Effect, Layer, Option } from "effect"
import { placeOf } from "./exported-names.ts"
import { FragmentRepo } from "./fragment-repo.ts"
import { OpenApiDocuments } from "./openapi-documents.ts"

/** How often to look for unchecked documents: a failed check waits for its retry, and an older version of doorlock may store new ones. */
const interval = Duration.minutes(1)

/**
 * Checks the documents that are stored unchecked: those from before the current check. One after the other, each by one process. A failure
 * is left to later rounds, with a growing delay, and set aside after the last try.
 */
export const checkStored = Effect.gen(function* () {
  const repo = yield* FragmentRepo
  const documents = yield* OpenApiDocuments
  for (;;) {
    const claimed = yield* repo.claimUnchecked()
    if (Option.isNone(claimed)) return
    const { id, openapi } = claimed.value
    const checked = yield* documents.checkStored(openapi, placeOf(claimed.value))
    if (!("failure" in checked)) yield* repo.keep(id, checked)
    else if (checked.failure === undefined) yield* repo.returnUnbegun(id)
    else yield* repo.fail(id, checked.failure)
  }
})

/** Runs at startup, and then every minute. */
export const layer = Layer.scopedDiscard(
  checkStored.pipe(
    Effect.catchAllCause((cause) =>
      Effect.logWarning("Stored documents could not be checked; it is tried again later", cause)
    ),
    Effect.zipRight(Effect.sleep(interval)),
    Effect.forever,
    Effect.forkScoped
  )
)
