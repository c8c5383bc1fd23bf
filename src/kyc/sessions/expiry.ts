import { Effect, Layer } from "effect"
import { background } from "../../shared/background.ts"
import { expiredAtOnce, SessionRepo } from "./repo.ts"

/** Records the event of each session that expires. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { recordExpired } = yield* SessionRepo
    yield* background(
      "kyc.expiry",
      "Expired sessions have no event yet",
      Effect.repeat(recordExpired, { while: (count) => count >= expiredAtOnce })
    )
  })
)
