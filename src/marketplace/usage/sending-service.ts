import { Context, Effect } from "effect"
import { Config } from "../../config.ts"
import { usageRowsWaiting } from "../../observability/metrics.ts"
import { backgroundAtPace } from "../../shared/background.ts"
import { messageOf } from "../../shared/error.ts"
import { newId } from "../../shared/identifier.ts"
import { Timing } from "../../shared/timing.ts"
import { ClickHouseFailed, ClickHouseUsage, type UsageRows } from "./clickhouse.ts"
import { type Calls, CountedRows } from "./rows-model.ts"
import { UnsentUsageRepo } from "./unsent-repo.ts"

interface Bounds {
  /** Keys (with upstream and day) of one request. */
  readonly perRequest: number
  /** Kept although their calls are stored, so that their rows grow on. */
  readonly stored: number
  /** Kept because ClickHouse does not take them. What is more goes to Postgres. */
  readonly unstored: number
}

/** How many keys a process keeps in memory, of about a kilobyte each. */
export class UsageBounds extends Context.Reference<UsageBounds>()("doorlock/marketplace/UsageBounds", {
  defaultValue: (): Bounds => ({ perRequest: 5_000, stored: 20_000, unstored: 100_000 })
}) {}

const make = (rows: UsageRows) =>
  Effect.gen(function* () {
    const unsent = yield* UnsentUsageRepo
    const bounds = yield* UsageBounds
    const { pause, withinOr } = yield* Timing
    const counted = new CountedRows(bounds.stored, newId)
    /** Requests in a row that failed. */
    let failures = 0
    /** Since when calls have waited without a request that succeeded (monotonic). */
    let waitsSince: number | undefined

    const waits = () => {
      if (counted.unstored === 0) waitsSince = undefined
      else waitsSince ??= performance.now()
    }
    yield* usageRowsWaiting.from(() =>
      waitsSince === undefined ? 0 : (performance.now() - waitsSince) / 1_000
    )

    const sendSome = Effect.suspend(() => {
      const some = counted.take(bounds.perRequest)
      return Effect.map(rows.insert(some.rows), () => {
        some.done()
        waitsSince = undefined
        waits()
      })
    })
    /** What waits now; what is added meanwhile waits for the next time. Returns the number of requests. */
    const sendAll = Effect.suspend(() => {
      const requests = Math.ceil(counted.unstored / bounds.perRequest)
      return Effect.as(Effect.replicateEffect(sendSome, requests, { discard: true }), requests)
    })
    /** Leaves all but `kept` to Postgres, whence housekeeping sends them. */
    const leave = (kept: number) =>
      Effect.whileLoop({
        while: () => counted.unstored > kept,
        body: () =>
          Effect.suspend(() => {
            const some = counted.take(bounds.perRequest)
            return Effect.map(unsent.leave(some.rows), some.done)
          }),
        step: () => {}
      })

    const failed = (error: unknown) =>
      Effect.suspend(() => {
        failures++
        const log = failures === 1 ? Effect.logWarning : Effect.logDebug
        return log(`ClickHouse takes no usage; it is kept and sent later: ${messageOf(error)}`)
      }).pipe(Effect.zipRight(leave(bounds.unstored)))
    const succeeded = (requests: number) =>
      Effect.suspend(() => {
        if (requests === 0 || failures === 0) return Effect.void
        failures = 0
        return Effect.logInfo("ClickHouse takes usage again")
      })
    /** Milliseconds until the next request, if the last one failed. */
    const retryIn = () =>
      failures === 0
        ? undefined
        : Math.min(
            pause("marketplace.clickhouse_longest_retry"),
            pause("marketplace.clickhouse_retry") * 2 ** Math.min(failures - 1, 10)
          )
    const round = sendAll.pipe(
      Effect.matchEffect({ onFailure: failed, onSuccess: succeeded }),
      Effect.catchAllCause((cause) =>
        Effect.logWarning("Usage that ClickHouse does not take cannot be left to Postgres either", cause)
      ),
      Effect.map(retryIn)
    )

    const late = () => new ClickHouseFailed({ message: "It did not answer in time" })
    // A finalizer is uninterruptible: the timeout would wait for what it ends.
    const finish = withinOr("marketplace.clickhouse_at_end", Effect.interruptible(sendAll), late).pipe(
      Effect.catchAll(() => leave(0)),
      Effect.catchAllCause((cause) => Effect.logError("The latest usage is lost", cause))
    )
    yield* Effect.addFinalizer(() => finish)
    yield* backgroundAtPace("marketplace.usage_sending", round)

    return (calls: Calls): void => {
      counted.add(calls)
      waits()
    }
  })

/**
 * Sends rows of usage to ClickHouse about once a second (`USAGE_SINK=clickhouse`). While that fails, it keeps them, in
 * memory up to a bound and then in Postgres. A killed process loses what it has not sent.
 */
export class UsageSender extends Effect.Service<UsageSender>()("UsageSender", {
  dependencies: [ClickHouseUsage.Default, UnsentUsageRepo.Default],
  scoped: Effect.gen(function* () {
    const { usageSink } = yield* Config
    const { rows } = yield* ClickHouseUsage
    return {
      /** Counts calls, which it has not been given before. Undefined if the rows of usage are in Postgres. */
      add: usageSink === "clickhouse" && rows !== undefined ? yield* make(rows) : undefined
    }
  })
}) {}
