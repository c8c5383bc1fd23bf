import { Duration, Effect } from "effect"
import { Config } from "../../config.ts"
import { retentionFailures } from "../../observability/metrics.ts"
import { Timing } from "../../shared/timing.ts"
import { type Hold, type Month, SessionMonthRepo } from "./months-repo.ts"

/** How long a month may be due before it is a fault that it is still there. */
const patience = Duration.days(1)

/** What holds a month, as the end of a sentence. */
const reasons: Readonly<Record<Hold, string>> = {
  only: "it is the only partition, because the next ones could not be created",
  open: "one of its sessions has not ended",
  data: "one of its sessions could not be redacted yet",
  files: "the content of a file is still to be deleted",
  locks: "statements or a backup use sessions for long",
  refused: "a view depends on its partition, or it belongs to another role"
}

interface Held {
  readonly part: string
  readonly hold: Hold
}

/** Months of sessions that are dropped whole (docs/privacy.md#months-that-are-dropped). */
export class SessionMonths extends Effect.Service<SessionMonths>()("SessionMonths", {
  dependencies: [SessionMonthRepo.Default],
  effect: Effect.gen(function* () {
    const { sessionsMonths } = (yield* Config).retention
    const repo = yield* SessionMonthRepo
    const { sleep } = yield* Timing
    const pause = sleep("kyc.between_batches")

    /** The months that have been due for too long. */
    const overdue =
      sessionsMonths === undefined
        ? Effect.succeed([])
        : Effect.map(repo.due(sessionsMonths), (due) =>
            due.filter((month) => month.due.getTime() + Duration.toMillis(patience) <= Date.now())
          )

    /** As the end of a sentence. Only a drop finds out what Postgres refuses, and `doctor` drops nothing: it asks. */
    const reasonOf = (part: string, hold: Hold | null) =>
      hold === null || hold === "refused"
        ? Effect.map(repo.refusal(part), (refusal) => refusal ?? reasons[hold ?? "locks"])
        : Effect.succeed(reasons[hold])

    const logDropped = (month: string) =>
      Effect.logInfo("Dropped a month of sessions").pipe(Effect.annotateLogs({ partition: month }))

    /** Drops one month after another. What is returned is held. */
    const dropAll = (months: number): Effect.Effect<ReadonlyArray<Held>> =>
      Effect.flatMap(repo.dropOne(months), (tried) => {
        const held = tried.flatMap(({ hold, part }) => (hold === null ? [] : [{ part, hold }]))
        const dropped = tried.find(({ hold }) => hold === null)
        return dropped === undefined
          ? Effect.succeed(held)
          : logDropped(dropped.part).pipe(Effect.zipRight(pause), Effect.zipRight(dropAll(months)))
      })

    const report = (held: ReadonlyArray<Held>) =>
      Effect.flatMap(overdue, (late) =>
        Effect.forEach(held, ({ hold, part }) =>
          Effect.flatMap(reasonOf(part, hold), (reason) =>
            late.some((month) => month.part === part)
              ? Effect.logWarning(`A month of sessions cannot be dropped: ${reason}`).pipe(
                  Effect.zipLeft(Effect.sync(() => retentionFailures.month.add()))
                )
              : Effect.logInfo(`A month of sessions is dropped later: ${reason}`)
          ).pipe(Effect.annotateLogs({ partition: part }))
        )
      )

    const clear = (month: Month) =>
      Effect.forEach(
        repo.deletions,
        (some) => {
          const from = (id: string): Effect.Effect<void> =>
            Effect.flatMap(some(month, id), (next) =>
              next === undefined ? Effect.void : Effect.zipRight(pause, from(next))
            )
          return from(month.low)
        },
        { discard: true }
      ).pipe(Effect.zipRight(repo.markCleared(month)))

    /**
     * Drops the months that are due, and what hangs on their sessions. From the drop on, nobody finds the sessions; what hangs on them is deleted
     * afterwards, also what another process has left. What cannot be dropped is tried again in the next hour.
     */
    const drop = Effect.gen(function* () {
      if (sessionsMonths !== undefined) yield* Effect.flatMap(dropAll(sessionsMonths), report)
      yield* Effect.flatMap(repo.uncleared, Effect.forEach(clear))
    })

    /** What an operator should know. */
    const state = Effect.gen(function* () {
      const held = yield* Effect.forEach(yield* overdue, (month) =>
        Effect.map(
          Effect.flatMap(repo.hold(month), (hold) => reasonOf(month.part, hold)),
          (reason) => ({ part: month.part, reason })
        )
      )
      const [last] = yield* repo.lastDropped
      return { sessionsMonths, held, last }
    })

    return { drop, state }
  })
}) {}
