import { Data, Effect, Redacted, Schema } from "effect"
import { Config } from "../../config.ts"
import { decoder } from "../../shared/encoding.ts"
import { messageOf } from "../../shared/error.ts"
import { Timing } from "../../shared/timing.ts"
import { writeDay } from "./calendar-model.ts"
import { Mode, outcomes } from "./model.ts"
import type { Period } from "./repo.ts"
import type { UsageRow } from "./rows-model.ts"

/** ClickHouse cannot be used, or refuses. */
export class ClickHouseFailed extends Data.TaggedError("ClickHouseFailed")<{
  readonly message: string
  readonly cause?: unknown
}> {}

/** Rows with the same key are states of one count, of which the largest is the newest. Merges keep that one. */
export const definition = `create table if not exists doorlock_usage (
    api_id UUID,
    subscription_id UUID,
    day Date,
    key_id UUID,
    mode LowCardinality(String),
    upstream LowCardinality(String),
    outcome LowCardinality(String),
    writer UUID,
    calls SimpleAggregateFunction(max, UInt64)
  )
  engine = AggregatingMergeTree
  partition by toYYYYMM(day)
  order by (api_id, subscription_id, day, key_id, mode, upstream, outcome, writer)`

/** The calls of each writer, whether merged or not. A CTE of each query. */
const counted = `with counted as (
    select subscription_id, day, key_id, mode, upstream, outcome, writer, max(calls) as calls
    from doorlock_usage
    where api_id = {api:UUID} and day between {from:Date} and {to:Date}
      and ({all:Bool} or subscription_id in {subscriptions:Array(UUID)})
    group by subscription_id, day, key_id, mode, upstream, outcome, writer
  )`

const calls = { mode: Mode, outcome: Schema.Literal(...outcomes), calls: Schema.Number }
const day = Schema.Number

const ofGroups = decoder(
  Schema.Array(Schema.Struct({ day: Schema.NullOr(day), key_id: Schema.NullOr(Schema.String), ...calls }))
)
const ofDays = decoder(Schema.Array(Schema.Struct({ day, ...calls })))
const ofIds = decoder(Schema.Array(Schema.Struct({ id: Schema.String })))
const ofSubscriptions = decoder(Schema.Array(Schema.Struct({ id: Schema.String, ...calls })))
const ofTables = decoder(Schema.Array(Schema.Struct({ result: Schema.Number })))

/** What a question is about. */
interface Asked {
  readonly apiId: string
  readonly period: Period
  /** Unset: all. */
  readonly subscriptionIds?: ReadonlyArray<string>
}

/** Loaded only if it is used. */
const open = (url: Redacted.Redacted, { timeout, withinOr }: Timing["Type"]) =>
  Effect.map(
    Effect.promise(() => import("@clickhouse/client-web")),
    ({ createClient }) => {
      const client = createClient({
        url: Redacted.value(url),
        application: "doorlock",
        request_timeout: timeout("marketplace.clickhouse"),
        // An array of ids may be too long for a URL.
        use_multipart_params_auto: true
      })
      const attempt = <A>(run: (signal: AbortSignal) => Promise<A>) =>
        withinOr(
          "marketplace.clickhouse",
          Effect.tryPromise({
            try: run,
            catch: (cause) => new ClickHouseFailed({ message: messageOf(cause), cause })
          }),
          () =>
            new ClickHouseFailed({
              message: `It did not answer within ${timeout("marketplace.clickhouse")} ms`
            })
        )

      const ask = <A>(
        decode: (rows: unknown) => A,
        query: string,
        query_params: Readonly<Record<string, unknown>> = {}
      ) =>
        Effect.map(
          attempt(async (abort_signal) => {
            const found = await client.query({
              query,
              query_params: { ...query_params },
              format: "JSONEachRow",
              clickhouse_settings: { output_format_json_quote_64bit_integers: 0, group_by_use_nulls: 1 },
              abort_signal
            })
            return await found.json()
          }),
          decode
        )

      const hasTable = Effect.map(
        ask(ofTables, "exists table doorlock_usage"),
        ([found]) => found?.result === 1
      )
      let isThere = false
      /** Creates the table unless it is there: a user that may not create tables needs one that is. */
      const table = Effect.suspend(() => {
        if (isThere) return Effect.void
        return hasTable.pipe(
          Effect.flatMap((found) =>
            found
              ? Effect.void
              : attempt((abort_signal) => client.command({ query: definition, abort_signal }))
          ),
          Effect.tap(() => {
            isThere = true
          })
        )
      })

      const about = <A>(
        { apiId, period: { from, to }, subscriptionIds }: Asked,
        decode: (rows: unknown) => A,
        query: string
      ) =>
        Effect.zipRight(
          table,
          ask(decode, `${counted} ${query}`, {
            api: apiId,
            from: writeDay(from),
            to: writeDay(to),
            all: subscriptionIds === undefined,
            subscriptions: subscriptionIds ?? []
          })
        )

      return {
        hasTable,

        /** Stores rows. If it fails, they may have been stored all the same; storing them again changes nothing. */
        insert: (values: ReadonlyArray<UsageRow>) =>
          Effect.zipRight(
            table,
            attempt((abort_signal) =>
              client.insert({
                table: "doorlock_usage",
                values,
                format: "JSONEachRow",
                // Many processes send few rows each: the server puts them together, and answers once they are stored.
                clickhouse_settings: { async_insert: 1, wait_for_async_insert: 1 },
                abort_signal
              })
            )
          ),

        /** By day and by key. In one query, so that both have the same total. */
        ofSubscription: (asked: Asked) =>
          about(
            asked,
            ofGroups,
            `select toInt32(day) as day, key_id, mode, outcome, sum(calls) as calls from counted
             group by grouping sets ((day, mode, outcome), (key_id, mode, outcome))`
          ),

        days: (asked: Asked) =>
          about(
            asked,
            ofDays,
            "select toInt32(day) as day, mode, outcome, sum(calls) as calls from counted group by day, mode, outcome"
          ),

        /** The ids of the subscriptions with calls. */
        subscriptions: (asked: Asked) =>
          Effect.map(about(asked, ofIds, "select distinct subscription_id as id from counted"), (found) =>
            found.map(({ id }) => id)
          ),

        bySubscription: (asked: Asked) =>
          about(
            asked,
            ofSubscriptions,
            `select subscription_id as id, mode, outcome, sum(calls) as calls from counted
             group by subscription_id, mode, outcome`
          )
      }
    }
  )

export type UsageRows = Effect.Effect.Success<ReturnType<typeof open>>

/** The rows of usage in ClickHouse; `undefined` without `CLICKHOUSE_URL`. */
export class ClickHouseUsage extends Effect.Service<ClickHouseUsage>()("ClickHouseUsage", {
  effect: Effect.gen(function* () {
    const { clickhouseUrl } = yield* Config
    const timing = yield* Timing
    return { rows: clickhouseUrl === undefined ? undefined : yield* open(clickhouseUrl, timing) }
  })
}) {}
