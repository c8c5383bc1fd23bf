import { Effect, Layer } from "effect"
import { expiredAtOnce, SessionRepo } from "./repo.ts"

/** How often expired sessions get their event, which is due within 60 seconds. */
const interval = "15 seconds"

/** Records the event of each session that expires. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(SessionRepo, ({ recordExpired }) =>
    Effect.repeat(recordExpired, { while: (count) => count >= expiredAtOnce }).pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("Expired sessions have no event yet", cause)),
      Effect.delay(interval),
      Effect.forever,
      Effect.forkScoped
    )
  )
)
