import * as SqlClient from "@effect/sql/SqlClient"
import { Cause, Context, Deferred, Effect, FiberId, type Scope } from "effect"
import { failsAgain, transaction } from "../db/sql.ts"
import { workOutcomes } from "../observability/metrics.ts"
import { redact } from "../observability/redact.ts"
import { asStorable } from "../shared/storable.ts"
import { Timing } from "../shared/timing.ts"
import type { Ended, Outcome, WorkKind } from "./model.ts"
import { WorkRepo } from "./repo.ts"

/** A job that has run. */
export interface EndedJob<R> extends Ended {
  readonly kind: WorkKind<R>
  readonly id: string
  readonly attempt: number
  /** Called once it is settled. */
  readonly settled: () => void
}

/** Results that are settled together. */
export class SettledTogether extends Context.Reference<SettledTogether>()("doorlock/work/SettledTogether", {
  defaultValue: () => 200
}) {}

/** How many transactions settle at once: one collects while the other commits. */
const atOnce = 2

/** A reason as text that Postgres can store and an operator may read. */
const poison = (reason: string): Outcome => ({
  kind: "poison",
  reason: asStorable(redact(reason), 4_000)
})

/**
 * Settles results in batches, each in one transaction, until the scope ends. A result that Postgres refuses makes its job poison, and no
 * other; while the database is away, results wait. The returned function takes a result.
 */
export const settling = <R>(): Effect.Effect<
  (job: EndedJob<R>) => void,
  never,
  R | WorkRepo | SqlClient.SqlClient | Scope.Scope
> =>
  Effect.gen(function* () {
    const repo = yield* WorkRepo
    const { sleep } = yield* Timing
    const most = yield* SettledTogether
    const inTransaction = transaction(yield* SqlClient.SqlClient)
    const waiting: Array<EndedJob<R>> = []
    /** Done while results wait. */
    let arrival = Deferred.unsafeMake<void>(FiberId.none)

    const writeJobs = (batch: ReadonlyArray<EndedJob<R>>) =>
      Effect.map(repo.settle(batch), (settled) => {
        const ids = new Set(settled.map(({ id }) => id))
        return batch.filter(({ id }) => ids.has(id))
      })
    const writeAll = (batch: ReadonlyArray<EndedJob<R>>) =>
      writeJobs(batch).pipe(
        Effect.tap((counting) =>
          Effect.forEach(
            Map.groupBy(counting, ({ kind }) => kind),
            ([kind, ended]) => kind.settle?.(ended) ?? Effect.void,
            { discard: true }
          )
        ),
        inTransaction
      )
    /** Returns those that count. */
    const write = (batch: ReadonlyArray<EndedJob<R>>, withOwnRows: boolean) =>
      withOwnRows && batch.some(({ kind }) => kind.settle !== undefined) ? writeAll(batch) : writeJobs(batch)

    const tell = (batch: ReadonlyArray<EndedJob<R>>, counting: ReadonlyArray<EndedJob<R>>) =>
      Effect.sync(() => {
        for (const { kind, outcome } of counting) workOutcomes.add({ kind: kind.name, outcome: outcome.kind })
        for (const { settled } of batch) settled()
      })

    const asPoison = (job: EndedJob<R>, cause: Cause.Cause<never>): EndedJob<R> => ({
      ...job,
      outcome: poison(`Its result cannot be settled: ${Cause.pretty(cause, { renderErrorCause: true })}`)
    })

    const settle = (batch: ReadonlyArray<EndedJob<R>>, withOwnRows = true): Effect.Effect<void, never, R> =>
      write(batch, withOwnRows).pipe(
        Effect.flatMap((counting) => tell(batch, counting)),
        Effect.catchAllCause((cause) => {
          if (Cause.isInterruptedOnly(cause)) return Effect.failCause(cause)
          const [first, ...others] = batch
          if (failsAgain(cause) && first !== undefined && withOwnRows) {
            return others.length === 0
              ? settle([asPoison(first, cause)], false)
              : Effect.forEach(batch, (job) => settle([job]), { discard: true })
          }
          return Effect.logWarning("Work that was done could not be settled; trying again", cause).pipe(
            Effect.zipRight(sleep("work.settle_retry")),
            Effect.zipRight(settle(batch, withOwnRows))
          )
        })
      )

    const take = Effect.sync(() => {
      const batch = waiting.splice(0, most)
      if (waiting.length === 0) arrival = Deferred.unsafeMake(FiberId.none)
      return batch
    })
    const round = Effect.gen(function* () {
      yield* Deferred.await(arrival)
      if (waiting.length < most) yield* sleep("work.settle")
      const batch = yield* take
      if (batch.length > 0) yield* settle(batch)
    })
    yield* Effect.forEach(Array.from({ length: atOnce }), () => Effect.forkScoped(Effect.forever(round)))

    return (job) => {
      waiting.push(job.outcome.kind === "poison" ? { ...job, outcome: poison(job.outcome.reason) } : job)
      Deferred.unsafeDone(arrival, Effect.void)
    }
  })
