import { Effect } from "effect"
import { Config } from "../../config.ts"
import { usageUnwritten } from "../../observability/metrics.ts"
import { background } from "../../shared/background.ts"
import { newId } from "../../shared/identifier.ts"
import { Listeners } from "../../shared/listeners.ts"
import { Timing } from "../../shared/timing.ts"
import { monthOf } from "./calendar-model.ts"
import { accountIdOf, byOutcome, type CallSource, isBilled, type Outcome, outcomes } from "./model.ts"
import { type AccountMonth, type Addition, type MonthRow, UsageRecordingRepo } from "./recording-repo.ts"
import type { Calls } from "./rows-model.ts"
import { UsageSender } from "./sending-service.ts"

/** How often a process that ends writes, if that fails, and asks for its turn to add what it has written. */
const mostLastTries = { failed: 2, waiting: 20 }

const failure = "Could not record the usage of APIs; trying again"

const places = byOutcome((place) => place)

/** Calls of one key to one upstream on one day, by outcome. */
interface Tally extends Calls {
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

/** The billed calls of this process in an account's month. */
interface Own extends AccountMonth {
  calls: number
}

/** Adds the billed calls of a batch, by account and month. */
const addOwn = (own: Map<string, Own>, batch: Batch): void => {
  for (const { account, counts, day } of all(batch)) {
    const month = monthOf(day).first
    const key = monthKey(account.name, month)
    const known = own.get(key) ?? { account, month, calls: 0 }
    outcomes.forEach((outcome, place) => {
      if (isBilled(outcome)) known.calls += counts[place] ?? 0
    })
    own.set(key, known)
  }
}

/**
 * Counts gateway calls by key, upstream, day and outcome: sums them in memory, and writes the sums about once
 * a second and before the process ends. A failed batch is retried and never counted twice. Memory grows with
 * the keys in use, not with calls. A killed process loses the last second and a write in progress.
 *
 * With `USAGE_SINK=clickhouse`, the rows that people see go there (`UsageSender`). The months that limit plans are in Postgres all the same.
 */
export class UsageRecorder extends Effect.Service<UsageRecorder>()("UsageRecorder", {
  dependencies: [UsageSender.Default],
  scoped: Effect.gen(function* () {
    const repo = yield* UsageRecordingRepo
    const sender = yield* UsageSender
    const { sleep } = yield* Timing
    const recorder = newId()
    const listeners = new Listeners<WrittenMonth>()
    let open = new Map<string, Tally>()
    let cut = 0
    /** A closed batch, not known to be written yet. */
    let held: Batch | undefined
    /** What is written, and not known to be added to the counts yet, together with what was written behind it. */
    let waiting = new Map<string, Own>()

    const write = (batch: number, additions: ReadonlyArray<Addition>) =>
      repo.write(recorder, batch, additions, sender.add === undefined)
    const tell = (own: ReadonlyMap<string, Own>, months: ReadonlyArray<MonthRow>) => {
      for (const { api_id, company_id, month, upstream, used } of months) {
        const account = accountIdOf(company_id, api_id, upstream).name
        listeners.tell({ account, month, used, own: own.get(monthKey(account, month))?.calls ?? 0 })
      }
    }
    const writeHeld = Effect.suspend(() => {
      const batch = held
      if (batch === undefined) return Effect.void
      return Effect.map(write(batch.number, additionsOf(batch)), ({ counted, months }) => {
        held = undefined
        // While older batches wait, `months` may include them. Told now, they would count twice until `hear` tells of them.
        const own = counted && waiting.size === 0 ? new Map<string, Own>() : waiting
        addOwn(own, batch)
        if (own !== waiting) tell(own, months)
      })
    })
    const cutOff = Effect.sync(() => {
      if (held !== undefined || open.size === 0) return
      cut++
      held = { number: cut, tallies: open }
      // Once for each call, whatever becomes of the batch in Postgres.
      if (sender.add !== undefined) for (const tally of all(held)) sender.add(tally)
      open = new Map()
    })
    /** Asks whether another process has meanwhile added what waits. */
    const hear = Effect.suspend(() => {
      const own = waiting
      if (own.size === 0) return Effect.void
      return Effect.map(repo.waiting(recorder, [...own.values()]), ({ counted, months }) => {
        if (!counted) return
        waiting = new Map()
        tell(own, months)
      })
    })
    /** Adds what waits, where no batch of this process does. */
    const settle = Effect.suspend(() => {
      const before = cut
      return writeHeld.pipe(
        Effect.zipRight(cutOff),
        Effect.zipRight(writeHeld),
        Effect.zipRight(
          Effect.suspend(() =>
            waiting.size === 0 || cut > before ? Effect.void : Effect.asVoid(write(cut, []))
          )
        ),
        Effect.zipRight(hear)
      )
    })
    // A batch is either held or reported, even if the process ends during the write.
    const flush = Effect.uninterruptible(settle)
    const lastTry = Effect.catchAllCause(flush, (cause) => Effect.logWarning(failure, cause))
    /** The last to end would leave its calls to the next process that counts any. A database that hangs must not delay the end for long. */
    const finish = Effect.iterate(0, {
      while: (times) =>
        times === 0 ||
        (held !== undefined && times < mostLastTries.failed) ||
        (waiting.size > 0 && times < mostLastTries.waiting),
      body: (times) =>
        Effect.as(
          times === 0 ? lastTry : Effect.zipRight(sleep("marketplace.usage_at_end"), lastTry),
          times + 1
        )
    })

    yield* usageUnwritten.from(() => callsOf(open) + (held === undefined ? 0 : callsOf(held.tallies)))
    yield* Effect.addFinalizer(() => finish)
    yield* background("marketplace.usage", failure, flush)

    return {
      /** Counts a call. Synchronous, and never fails. */
      record: ({ account, keyId, mode, subscriptionId }: CallSource, day: number, outcome: Outcome): void => {
        const known = open.get(keyId)
        let tally = known
        while (tally !== undefined && !(tally.day === day && tally.account.name === account.name)) {
          tally = tally.earlier
        }
        if (tally === undefined) {
          const counts = new Float64Array(outcomes.length)
          tally = { keyId, mode, subscriptionId, account, day, counts, at: 0, earlier: known }
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

/** Rows of usage are in partitions by month, and none is older than the operator wants. */
export class UsagePartitions extends Effect.Service<UsagePartitions>()("UsagePartitions", {
  effect: Effect.gen(function* () {
    const { usageMonths } = yield* Config
    const repo = yield* UsageRecordingRepo
    return {
      /** Creates the partitions of the next months, and drops what is older than `RETENTION_USAGE_MONTHS`. */
      roll: repo.rollPartitions(usageMonths)
    }
  })
}) {}
