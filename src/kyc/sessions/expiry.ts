import { Context, Duration, Effect, Layer } from "effect"
import { expiredAtOnce, SessionRepo } from "./repo.ts"

/** How often expired sessions get their event, which is due within 60 seconds. */
export class ExpiryPace extends Context.Reference<ExpiryPace>()("doorlock/kyc/ExpiryPace", {
  defaultValue: () => Duration.seconds(15)
}) {}

/** Records the event of each session that expires. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { recordExpired } = yield* SessionRepo
    const interval = yield* ExpiryPace
    yield* Effect.repeat(recordExpired, { while: (count) => count >= expiredAtOnce }).pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("Expired sessions have no event yet", cause)),
      Effect.delay(interval),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
