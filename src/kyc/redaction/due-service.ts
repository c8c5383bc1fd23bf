import { Effect } from "effect"
import { Config } from "../../config.ts"
import { RedactionRepo } from "./repo.ts"

/** Sessions that wait for a review although their retention ends soon (docs/privacy.md#retention). */
export class DueReviews extends Effect.Service<DueReviews>()("DueReviews", {
  dependencies: [RedactionRepo.Default],
  effect: Effect.gen(function* () {
    const { retention } = yield* Config
    const repo = yield* RedactionRepo

    /** How many are redacted within so many days. */
    const within = (days: number): Effect.Effect<number> => repo.waitingDue(retention, days)

    return { within }
  })
}) {}
