import { Cause, Effect, Either, Schema } from "effect"

/** One job as its kind runs it. */
export interface Job<Payload> {
  readonly id: string
  readonly lane: string
  /** From 1. */
  readonly attempt: number
  readonly payload: Payload
}

/** A job that starts. */
interface StartedJob<Payload, Ahead> extends Job<Payload> {
  /** What the kind's `readAhead` has just returned for it (timeout `work.ahead`); undefined if there is nothing so recent. */
  readonly ahead: Ahead | undefined
}

/** What becomes of a job that has run. */
export type Outcome =
  | { readonly kind: "done" }
  /** Due so many milliseconds after it is settled, by the database's clock: that of this machine may be wrong. */
  | { readonly kind: "again"; readonly after: number }
  /** Set aside until the operator retries or drops it. */
  | { readonly kind: "poison"; readonly reason: string }

export interface Ran<Result> {
  readonly outcome: Outcome
  /** For the kind's `settle`. */
  readonly result: Result
}

/** A job that is being settled. */
export interface Settled<Payload, Result> {
  readonly job: Job<Payload>
  readonly outcome: Outcome
  /** Undefined if `run` died; the outcome is then poison. */
  readonly result: Result | undefined
}

interface WorkOf<Payload, Encoded, Result, R, Ahead> {
  /** As in `webhook.delivery`. Never changes: stored jobs have it. */
  readonly name: string
  readonly payload: Schema.Schema<Payload, Encoded>
  /** How many jobs of one lane may run at once. */
  readonly perLane: number
  /**
   * Reads what the next jobs need, with one statement for all instead of one each. Returns something for each, in their order. If it fails,
   * each `run` reads for itself.
   */
  readonly readAhead?: (payloads: ReadonlyArray<Payload>) => Effect.Effect<ReadonlyArray<Ahead>, never, R>
  /** Runs at least once per job: if the process dies, the job runs again. A defect makes the job poison. */
  readonly run: (job: StartedJob<Payload, Ahead>) => Effect.Effect<Ran<Result>, never, R>
  /**
   * Writes the kind's own rows, in the transaction that settles these jobs. Has only jobs of which this run counts, not those that another
   * process has settled meanwhile.
   */
  readonly settle?: (settled: ReadonlyArray<Settled<Payload, Result>>) => Effect.Effect<void, never, R>
}

/** A job as stored. */
interface StoredJob {
  readonly id: string
  readonly lane: string
  /** How often it has run to its end. */
  readonly attempt: number
  readonly payload: unknown
  /** As `readAhead` returned it, while it may be used. */
  readonly ahead?: unknown
}

/** A job that has run, or could not. `own` is what its kind's `settle` gets. */
export interface Ended {
  readonly outcome: Outcome
  readonly own: unknown
}

/** A kind of work as the dispatcher sees it, made by {@link workKind}. */
export interface WorkKind<R = unknown> {
  readonly name: string
  readonly perLane: number
  /** Returns what each payload's `run` gets as `ahead`; undefined for a kind that reads nothing ahead. */
  readonly readAhead:
    | ((payloads: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<unknown>, never, R>)
    | undefined
  /** Never fails. If it is interrupted, nothing is settled. */
  readonly run: (job: StoredJob) => Effect.Effect<Ended, never, R>
  readonly settle: ((ended: ReadonlyArray<Ended>) => Effect.Effect<void, never, R>) | undefined
}

const poison = (reason: string): Outcome => ({ kind: "poison", reason })

/** Declares a kind of work, which a feature contributes as `Feature.work`. */
export const workKind = <Payload, Encoded, Result, R, Ahead = never>({
  name,
  payload,
  perLane,
  readAhead,
  run,
  settle
}: WorkOf<Payload, Encoded, Result, R, Ahead>): WorkKind<R> => {
  const decode = Schema.decodeUnknownEither(payload)
  return {
    name,
    perLane,
    readAhead:
      readAhead &&
      ((all) => {
        const decoded = all.map((one) => decode(one))
        return Effect.map(readAhead(decoded.filter(Either.isRight).map(({ right }) => right)), (found) => {
          const inOrder = found.values()
          return decoded.map((one) => (Either.isRight(one) ? inOrder.next().value : undefined))
        })
      }),
    run: ({ ahead, attempt, id, lane, payload: stored }) =>
      Either.match(decode(stored), {
        onLeft: ({ message }) =>
          Effect.succeed<Ended>({
            outcome: poison(`The payload cannot be decoded: ${message}`),
            own: undefined
          }),
        onRight: (decoded) => {
          const job: Job<Payload> = { id, lane, attempt: attempt + 1, payload: decoded }
          const ended = (outcome: Outcome, result: Result | undefined): Ended => ({
            outcome,
            own: { job, outcome, result } satisfies Settled<Payload, Result>
          })
          // The cast: `readAhead` above made it.
          return Effect.suspend(() => run({ ...job, ahead: ahead as Ahead | undefined })).pipe(
            Effect.map(({ outcome, result }) => ended(outcome, result)),
            Effect.catchAllDefect((defect) =>
              Effect.succeed(
                ended(poison(Cause.pretty(Cause.die(defect), { renderErrorCause: true })), undefined)
              )
            )
          )
        }
      }),
    settle:
      settle &&
      ((all) => {
        // The cast: `run` above made them. Those that could not be decoded have none.
        const settled = all.flatMap(({ own }) => (own === undefined ? [] : [own as Settled<Payload, Result>]))
        return settled.length === 0 ? Effect.void : settle(settled)
      })
  }
}
