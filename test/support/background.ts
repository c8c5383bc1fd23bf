/** The background of a server stands still in tests, until a test runs a job of it. */
import { Effect } from "effect"
import type { Background, BackgroundJob, BackgroundName } from "../../src/shared/background.ts"

/** Jobs that write what a server has collected in memory, move its events to the log, and look for due work: in this order. */
const flushing: ReadonlyArray<BackgroundName> = [
  "accounts.uses",
  "keys.uses",
  "marketplace.usage",
  "events.collect",
  "work.poll"
]

/** The jobs of one server, none of which runs by itself. */
export const standingBackground = () => {
  const jobs = new Map<BackgroundName, BackgroundJob>()
  const background: Background["Type"] = {
    start: (job) =>
      Effect.flatMap(Effect.runtime(), (ofServer) =>
        Effect.acquireRelease(
          // It logs as its server does, not as the test.
          Effect.sync(() => void jobs.set(job.name, { ...job, round: Effect.provide(job.round, ofServer) })),
          () => Effect.sync(() => jobs.delete(job.name))
        )
      )
  }
  return {
    background,
    /** Runs one round of each job that the server has of {@link flushing}. */
    flush: Effect.forEach(flushing, (name) => jobs.get(name)?.round ?? Effect.void, { discard: true }),
    /** Runs one round of the job, now. */
    run: (name: BackgroundName): Effect.Effect<void> =>
      Effect.suspend(() => {
        const job = jobs.get(name)
        return job === undefined ? Effect.dieMessage(`This server has no ${name}`) : Effect.asVoid(job.round)
      })
  }
}
