import { Effect } from "effect"
import { type Check, dayOf, doubtful, firstOf, well } from "../../cli/check.ts"
import { DueReviews } from "./due-service.ts"
import { SessionMonths } from "./months-service.ts"

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
    "Decide on them, longest waiting first, or set a longer retention.finishedDays: their reviews are deleted together with their data."
  )
})

const months = Effect.gen(function* () {
  const { held, last, sessionsMonths } = yield* (yield* SessionMonths).state
  if (held.length > 0) {
    const those = held.map(({ part, reason }) => `${part} (${reason})`)
    return doubtful(
      `Months of sessions are still there a day after the end of RETENTION_SESSIONS_MONTHS: ${firstOf(those)}.`,
      "The hourly housekeeping tries again; its log says more."
    )
  }
  const lastOne = last === undefined ? "" : ` The last was ${last.part}, on ${dayOf(last.dropped_at)}.`
  return well(
    sessionsMonths === undefined
      ? `No month of sessions is dropped, because RETENTION_SESSIONS_MONTHS is not set.${lastOne}`
      : `Each month of sessions is dropped ${sessionsMonths} months after its end.${lastOne}`
  )
})

export const checks: ReadonlyArray<Check> = [
  { name: "reviews", ofDatabase: Effect.provide(reviews, DueReviews.Default) },
  { name: "months", ofDatabase: Effect.provide(months, SessionMonths.Default) }
]
