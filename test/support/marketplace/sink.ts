/** Rows of usage in ClickHouse (`USAGE_SINK`). */
import { Effect } from "effect"
import type { TestClickHouse } from "../machine/clickhouse.ts"

/** The environment of a process that writes to this ClickHouse. */
export const toClickHouse = ({ url }: Pick<TestClickHouse, "url">) => ({
  USAGE_SINK: "clickhouse",
  CLICKHOUSE_URL: url
})

/** The same as `written` of `rows`, of ClickHouse. */
export const writtenThere = (
  { ask }: TestClickHouse,
  subscriptionId: string
): Effect.Effect<Readonly<Record<string, unknown>>> =>
  Effect.gen(function* () {
    const [table] = yield* ask("exists table doorlock_usage")
    if (table?.result !== 1) return {}
    const found = yield* ask(
      `select outcome, toFloat64(sum(calls)) as calls from (
         select key_id, day, upstream, outcome, writer, max(calls) as calls from doorlock_usage
         where subscription_id = '${subscriptionId}'
         group by key_id, day, upstream, outcome, writer
       ) group by outcome`
    )
    return Object.fromEntries(found.map(({ calls, outcome }) => [String(outcome), calls]))
  })
