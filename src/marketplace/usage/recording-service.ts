import { Context, Duration, Effect } from "effect"
import { usageUnwritten } from "../../observability/metrics.ts"
import { newId } from "../../shared/identifier.ts"
import { Listeners } from "../../shared/listeners.ts"
import { monthOf } from "./calendar-model.ts"
import { accountIdOf, byOutcome, type CallSource, isBilled, type Outcome, outcomes } from "./model.ts"
import { type Addition, UsageRecordingRepo } from "./recording-repo.ts"

/** How long calls are summed in memory before they are written together. */
export class BatchDelay extends Context.Reference<BatchDelay>()("doorlock/marketplace/BatchDelay", {
  defaultValue: () => Duration.seconds(1)
}) {}

const places = byOutcome((place) => place)

/** Calls of one key to one upstream on one day, by outcome. */
interface Tally extends CallSource {
  readonly day: number
  readonly counts: Float64Array
  /** The monotonic time of the last call. */
  at: number
  /** The same key's tally for another day (there are two around midnight) or another upstream. */
  readonly earlier: Tally | undefined
}

interface Batch {
  readonly number: number
  readonly tallies: ReadonlyMap<string, Tally>
}

/** The written use of an account's month, by the account's name and the month's first day. */
interface WrittenMonth {
  readonly account: string
  readonly month: number
  /** What all processes have written for the month. */
  readonly used: number
  /** The calls of this process that `used` includes for the first time. */
  readonly own: number
}

const monthKey = (account: string, month: number) => `${account} ${month}`

const all = function* ({ tallies }: Pick<Batch, "tallies">): Generator<Tally> {
  for (const latest of tallies.values()) {
    for (let tally: Tally | undefined = latest; tally !== undefined; tally = tally.earlier) yield tally
  }
}

const callsOf = (tallies: Batch["tallies"]): number => {
  let calls = 0
  for (const { counts } of all({ tallies })) for (const count of counts) calls += count
  return calls
}

const additionsOf = (batch: Batch): ReadonlyArray<Addition> => {
  const now = performance.now()
  return [...all(batch)].flatMap(({ account: { upstream }, at, counts, day, keyId }) =>
    outcomes.flatMap((outcome, place) => {
      const calls = counts[place] ?? 0
      return calls === 0 ? [] : [{ keyId, upstream, day, outcome, calls, age: now - at }]
    })
  )
}

/** The billed calls of a batch, by account and month. */
const ownOf = (batch: Batch): ReadonlyMap<string, number> => {
  const own = new Map<string, number>()
  for (const { account, counts, day } of all(batch)) {
    const key = monthKey(account.name, monthOf(day).first)
    const calls = outcomes.reduce(
      (sum, outcome, place) => sum + (isBilled(outcome) ? (counts[place] ?? 0) : 0),
      0
    )
    own.set(key, (own.get(key) ?? 0) + calls)
  }
  return own
}

/**
 * Counts gateway calls by key, upstream, day and outcome: sums them in memory, and writes the sums about once
 * a second and before the process ends. A failed batch is retried and never counted twice. Memory grows with
 * the keys in use, not with calls. A killed process loses the last second and a write in progress.
 */
export class UsageRecorder extends Effect.Service<UsageRecorder>()("UsageRecorder", {
  scoped: Effect.gen(function* () {
    const repo = yield* UsageRecordingRepo
    const batchDelay = yield* BatchDelay
    const recorder = newId()
    const listeners = new Listeners<WrittenMonth>()
    let open = new Map<string, Tally>()
    let cut = 0
    /** A closed batch, not known to be written yet. */
    let held: Batch | undefined

    const tell = (batch: Batch, months: Effect.Effect.Success<ReturnType<typeof repo.write>>) => {
      const own = ownOf(batch)
      for (const { api_id, company_id, month, upstream, used } of months) {
        const account = accountIdOf(company_id, api_id, upstream).name
        listeners.tell({ account, month, used, own: own.get(monthKey(account, month)) ?? 0 })
      }
    }
    const writeHeld = Effect.suspend(() => {
      const batch = held
      if (batch === undefined) return Effect.void
      return Effect.map(repo.write(recorder, batch.number, additionsOf(batch)), (months) => {
        held = undefined
        tell(batch, months)
      })
    })
    const cutOff = Effect.sync(() => {
      if (held !== undefined || open.size === 0) return
      cut++
      held = { number: cut, tallies: open }
      open = new Map()
    })
    const flush = writeHeld.pipe(
      Effect.zipRight(cutOff),
      Effect.zipRight(writeHeld),
      // A batch is either held or reported, even if the process ends during the write.
      Effect.uninterruptible,
      Effect.catchAllCause((cause) =>
        Effect.logWarning("Could not record the usage of APIs; trying again", cause)
      )
    )

    yield* usageUnwritten.from(() => callsOf(open) + (held === undefined ? 0 : callsOf(held.tallies)))
    yield* Effect.addFinalizer(() => flush)
    yield* Effect.forkScoped(Effect.forever(Effect.delay(flush, batchDelay)))

    return {
      /** Counts a call. Synchronous, and never fails. */
      record: ({ account, keyId }: CallSource, day: number, outcome: Outcome): void => {
        const known = open.get(keyId)
        let tally = known
        while (tally !== undefined && !(tally.day === day && tally.account.name === account.name)) {
          tally = tally.earlier
        }
        if (tally === undefined) {
          const counts = new Float64Array(outcomes.length)
          tally = { keyId, account, day, counts, at: 0, earlier: known }
          open.set(keyId, tally)
        }
        const place = places[outcome]
        tally.counts[place] = (tally.counts[place] ?? 0) + 1
        tally.at = performance.now()
      },

      used: repo.used,

      /** Reports every month that a written batch affects, until the scope ends. */
      onWritten: (listener: (written: WrittenMonth) => void) => listeners.add(listener)
    }
  })
}) {}
