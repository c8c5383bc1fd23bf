import * as SqlClient from "@effect/sql/SqlClient"
import { Context, Data, Effect } from "effect"
import { transaction } from "../db/sql.ts"
import { type DroppedJob, type Figures, type PoisonJob, StoredWorkRepo, type Which } from "./stored-repo.ts"

/** No job with such an id is set aside. */
class JobNotFound extends Data.TaggedError("JobNotFound") {}

export type { Figures, PoisonJob }

/** The most that the operator sees at once. */
const page = 1_000

/** What else happens when jobs are dropped, in the same transaction. */
export class DropFollower extends Context.Reference<DropFollower>()("doorlock/work/DropFollower", {
  defaultValue:
    () =>
    (_dropped: ReadonlyArray<DroppedJob>): Effect.Effect<void> =>
      Effect.void
}) {}

/** Stored work, for the operator. */
export class StoredWork extends Effect.Service<StoredWork>()("StoredWork", {
  effect: Effect.gen(function* () {
    const repo = yield* StoredWorkRepo
    const follow = yield* DropFollower
    const inTransaction = transaction(yield* SqlClient.SqlClient)

    /** Returns how many jobs. Fails with `JobNotFound` if one was named that is not set aside. */
    const counting = (act: (which: Which) => Effect.Effect<ReadonlyArray<unknown>>) => (which: Which) =>
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
      drop: counting((which) => inTransaction(Effect.tap(repo.drop(which), follow)))
    }
  })
}) {}
