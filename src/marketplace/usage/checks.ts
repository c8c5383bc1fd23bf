import { Effect, Layer } from "effect"
import { type Check, doubtful, failed, reason, well } from "../../cli/check.ts"
import { Config } from "../../config.ts"
import { ClickHouseUsage } from "./clickhouse.ts"
import { UnsentUsage } from "./unsent-service.ts"

const asked = Effect.gen(function* () {
  const { usageSink } = yield* Config
  const { rows } = yield* ClickHouseUsage
  const { waiting } = yield* UnsentUsage
  const left = yield* waiting
  if (rows === undefined) {
    return left === 0
      ? well("The usage of APIs is stored in Postgres.")
      : failed(
          `${left} rows of usage wait for ClickHouse.`,
          "Set CLICKHOUSE_URL, so that they are sent and shown."
        )
  }
  const found = yield* Effect.either(rows.hasTable)
  if (found._tag === "Left") {
    return failed(
      `ClickHouse at CLICKHOUSE_URL cannot be used: ${reason(found.left)}.`,
      "Until ClickHouse works, usage is kept but not shown. Limits of plans do not depend on it. Check CLICKHOUSE_URL and the server."
    )
  }
  if (!found.right) {
    return doubtful(
      "ClickHouse has no table doorlock_usage yet.",
      "The first call creates it, if the user in CLICKHOUSE_URL may create tables."
    )
  }
  if (left > 0) {
    return doubtful(
      `${left} rows of usage wait in Postgres, because ClickHouse took none for long.`,
      "They are sent within an hour. If there are more then, the log of the process with ROLE=all or ROLE=work says why."
    )
  }
  return well(
    usageSink === "clickhouse"
      ? "ClickHouse stores the usage of APIs."
      : "The usage of APIs is stored in Postgres. What ClickHouse has of it is shown, too."
  )
})

export const checks: ReadonlyArray<Check> = [
  {
    name: "usage",
    ofDatabase: Effect.provide(asked, Layer.merge(ClickHouseUsage.Default, UnsentUsage.Default))
  }
]
