import { Effect, Layer, Option } from "effect"
import { background } from "../../shared/background.ts"
import { placeOf } from "./exported-names.ts"
import { FragmentRepo } from "./fragment-repo.ts"
import { OpenApiDocuments } from "./openapi-documents.ts"

/** Checks stored unchecked documents one by one. Failures are left to later rounds, and then set aside. */
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

export const layer = Layer.scopedDiscard(
  background(
    "marketplace.documents",
    "Stored documents could not be checked; trying again later",
    checkStored
  )
)
