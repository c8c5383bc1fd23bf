import { Context, Duration, Effect, Layer } from "effect"
import { Sealing } from "./sealing-service.ts"

/** How long after its start the service begins: not while it starts. */
export class SealingDelay extends Context.Reference<SealingDelay>()("doorlock/kyc/SealingDelay", {
  defaultValue: () => Duration.minutes(1)
}) {}

const again = "1 hour"

/** Seals in the background what versions from before sealing have stored. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { run } = yield* Sealing
    const logged = Effect.catchAllCause(run, (cause) =>
      Effect.logWarning("Stored personal data could not be sealed; trying again later", cause)
    )
    yield* Effect.forkScoped(
      Effect.delay(Effect.forever(Effect.zipRight(logged, Effect.sleep(again))), yield* SealingDelay)
    )
  })
)
