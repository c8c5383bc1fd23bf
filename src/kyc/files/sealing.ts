import { Effect, Layer } from "effect"
import { background } from "../../shared/background.ts"
import { Sealing } from "./sealing-service.ts"

/** Seals what versions from before sealing have stored. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { run } = yield* Sealing
    yield* background("kyc.sealing", "Stored personal data could not be sealed; trying again later", run)
  })
)
