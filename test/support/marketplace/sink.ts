/** Where the rows of usage are (`USAGE_SINK`), for tests that hold for each place. */
import { Context, Effect, Layer, type Redacted } from "effect"
import { Config } from "../../../src/config.ts"
import { ClickHouseUsage } from "../../../src/marketplace/usage/clickhouse.ts"
import type { UsageRow } from "../../../src/marketplace/usage/rows-model.ts"
import type { BackgroundName } from "../../../src/shared/background.ts"
import { newId } from "../../../src/shared/identifier.ts"
import { clickHouse, type TestClickHouse, withoutClickHouse } from "../machine/clickhouse.ts"
import { execute } from "../postgres.ts"
import { patient } from "../run/timeouts.ts"
import { written } from "./rows.ts"

/** Calls of the past. */
export type PastUsage = readonly [
  keyId: string,
  subscriptionId: string,
  day: string,
  outcome: UsageRow["outcome"],
  calls: number
]

interface Sink {
  /** What a process needs that writes there. */
  readonly environment: Readonly<Record<string, string>>
  /** The jobs of the background that write there. */
  readonly jobs: ReadonlyArray<BackgroundName>
  /** Counts of recorded calls, by outcome; with a `keyId`, of that key. */
  readonly written: (
    databaseUrl: Redacted.Redacted,
    subscriptionId: string,
    keyId?: string
  ) => Effect.Effect<Readonly<Record<string, unknown>>, unknown>
  readonly store: (
    databaseUrl: Redacted.Redacted,
    rows: ReadonlyArray<PastUsage>
  ) => Effect.Effect<unknown, unknown>
}

const postgres: Sink = {
  environment: {},
  jobs: ["marketplace.usage"],
  written,
  store: (databaseUrl, rows) =>
    execute(
      databaseUrl,
      `insert into api_usage (key_id, subscription_id, day, outcome, calls)
       select * from unnest($1::uuid[], $2::uuid[], $3::date[], $4::text[], $5::bigint[])`,
      [0, 1, 2, 3, 4].map((column) => rows.map((row) => row[column]))
    )
}

/** The environment of a process that writes to this ClickHouse. */
export const toClickHouse = ({ url }: Pick<TestClickHouse, "url">) => ({
  USAGE_SINK: "clickhouse",
  CLICKHOUSE_URL: url
})

/** The same as `written`, of ClickHouse. */
export const writtenThere = (
  { ask }: TestClickHouse,
  subscriptionId: string,
  keyId?: string
): Effect.Effect<Readonly<Record<string, unknown>>> =>
  Effect.gen(function* () {
    const [table] = yield* ask("exists table doorlock_usage")
    if (table?.result !== 1) return {}
    const found = yield* ask(
      `select outcome, toFloat64(sum(calls)) as calls from (
         select key_id, day, upstream, outcome, writer, max(calls) as calls from doorlock_usage
         where subscription_id = '${subscriptionId}' ${keyId === undefined ? "" : `and key_id = '${keyId}'`}
         group by key_id, day, upstream, outcome, writer
       ) group by outcome`
    )
    return Object.fromEntries(found.map(({ calls, outcome }) => [String(outcome), calls]))
  })

const onClickHouse = Effect.gen(function* () {
  const server = yield* clickHouse
  const environment = toClickHouse(server)
  const { rows: stored } = Context.get(
    yield* Layer.build(
      ClickHouseUsage.Default.pipe(
        Layer.provide(patient),
        Layer.provide(Config.layer({ ...environment, DATABASE_URL: "postgres://unused", ROLE: "gateway" }))
      )
    ),
    ClickHouseUsage
  )
  const store: Sink["store"] = (databaseUrl, rows) =>
    Effect.gen(function* () {
      const keys = yield* execute(
        databaseUrl,
        `select k.id, k.mode, s.api_id from marketplace_keys k join subscriptions s on s.id = k.subscription_id
         where k.id = any ($1)`,
        [rows.map(([keyId]) => keyId)]
      )
      const writer = newId()
      yield* stored?.insert(
        rows.map(([keyId, subscriptionId, day, outcome, calls]): UsageRow => {
          const key = keys.find(({ id }) => id === keyId)
          return {
            api_id: String(key?.api_id),
            subscription_id: subscriptionId,
            key_id: keyId,
            mode: key?.mode === "test" ? "test" : "live",
            upstream: "live",
            day,
            outcome,
            writer,
            calls
          }
        })
      ) ?? Effect.void
    })
  return {
    environment,
    jobs: ["marketplace.usage", "marketplace.usage_sending"],
    written: (_: Redacted.Redacted, subscriptionId: string, keyId?: string) =>
      writtenThere(server, subscriptionId, keyId),
    store
  } satisfies Sink
})

export class UsageSink extends Context.Tag("UsageSink")<UsageSink, Sink>() {}

/** Every place, with the title of tests that hold for it. */
export const sinks = [
  { title: "in Postgres", isMissing: false, layer: Layer.succeed(UsageSink, postgres) },
  {
    title: "in ClickHouse (needs chdb: bun install --cwd test/support/clickhouse)",
    isMissing: withoutClickHouse,
    layer: Layer.scoped(UsageSink, Effect.orDie(onClickHouse))
  }
]
