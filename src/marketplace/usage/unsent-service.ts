import { Effect } from "effect"
import { type ClickHouseFailed, ClickHouseUsage, type UsageRows } from "./clickhouse.ts"
import { UnsentUsageRepo } from "./unsent-repo.ts"

/** Rows of usage that processes could not send to ClickHouse, and have left in Postgres. */
export class UnsentUsage extends Effect.Service<UnsentUsage>()("UnsentUsage", {
  dependencies: [ClickHouseUsage.Default, UnsentUsageRepo.Default],
  effect: Effect.gen(function* () {
    const { rows } = yield* ClickHouseUsage
    const repo = yield* UnsentUsageRepo

    const sendTo = (to: UsageRows): Effect.Effect<void, ClickHouseFailed> =>
      Effect.gen(function* () {
        for (;;) {
          const [oldest] = yield* repo.oldest
          if (oldest === undefined) return
          yield* to.insert(oldest.rows)
          // If another process has sent them too, that has changed nothing.
          yield* repo.remove(oldest.id)
        }
      })

    return {
      /** Sends all. Fails with the first that ClickHouse does not take. */
      send: rows === undefined ? Effect.void : sendTo(rows),

      /** How many rows there are. */
      waiting: repo.waiting
    }
  })
}) {}
