import { Effect, Layer } from "effect"
import { Sealing } from "./sealing-service.ts"

/** Not while the service starts. */
const first = "1 minute"
const again = "1 hour"

/** Seals in the background what versions from before sealing have stored. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(Sealing, ({ run }) => {
    const logged = Effect.catchAllCause(run, (cause) =>
      Effect.logWarning("Stored personal data could not be sealed; trying again later", cause)
    )
    return Effect.forkScoped(
      Effect.delay(Effect.forever(Effect.zipRight(logged, Effect.sleep(again))), first)
    )
  })
)
