import { Effect } from "effect"
import { type Check, doubtful, well } from "../../cli/check.ts"
import { DueReviews } from "./due-service.ts"

/** How many days in advance. */
const ahead = 7

/** Retention does not wait for a decision. */
const reviews = Effect.gen(function* () {
  const due = yield* (yield* DueReviews).within(ahead)
  if (due === 0) return well(`No waiting review loses its data within ${ahead} days.`)
  const those =
    due === 1 ? "1 session waits for a review and is" : `${due} sessions wait for a review and are`
  return doubtful(
    `${those} redacted within ${ahead} days, when the retention ends.`,
    "Decide on them, longest waiting first, or set a longer retention.finishedDays: with their data, their reviews go, too."
  )
})

export const checks: ReadonlyArray<Check> = [
  { name: "reviews", ofDatabase: Effect.provide(reviews, DueReviews.Default) }
]
