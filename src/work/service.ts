import { Effect } from "effect"
import { JobNotFound } from "./errors.ts"
import { type Figures, type PoisonJob, StoredWorkRepo, type Which } from "./stored-repo.ts"

export type { Figures, PoisonJob }

/** The most that the operator sees at once. */
const page = 1_000

/** Stored work, for the operator. */
export class StoredWork extends Effect.Service<StoredWork>()("StoredWork", {
  effect: Effect.gen(function* () {
    const repo = yield* StoredWorkRepo

    /** Returns how many jobs. Fails with `JobNotFound` if one was named that is not set aside. */
    const counting = (act: typeof repo.drop) => (which: Which) =>
      Effect.filterOrFail(
        Effect.map(act(which), (done) => done.length),
        (count) => count > 0 || "kind" in which,
        () => new JobNotFound()
      )

    return {
      /** Of every kind that has stored work. */
      figures: repo.figures([]),
      eventsWaiting: repo.eventsWaiting,
      /** The newest thousand jobs that were set aside, of one kind or of all. */
      poison: (kind?: string) => repo.poison(kind, page),
      retry: counting(repo.retry),
      drop: counting(repo.drop)
    }
  })
}) {}
