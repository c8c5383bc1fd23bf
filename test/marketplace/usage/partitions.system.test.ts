/** Usage is in partitions by month. */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, type Redacted } from "effect"
import { migrate } from "../../../src/db/migrations.ts"
import { dayOf, monthOf, writeDay } from "../../../src/marketplace/usage/calendar-model.ts"
import type { CallSource } from "../../../src/marketplace/usage/model.ts"
import { UsageRecordingRepo } from "../../../src/marketplace/usage/recording-repo.ts"
import { UsagePartitions } from "../../../src/marketplace/usage/recording-service.ts"
import { newId } from "../../../src/shared/identifier.ts"
import { databaseOn, emptyDatabase } from "../../support/database.ts"
import { meteringConfig } from "../../support/marketplace/metering.ts"
import { subscribed, writtenMonth } from "../../support/marketplace/rows.ts"
import { execute } from "../../support/postgres.ts"

const today = dayOf(Date.now())

/** A new installation, whose owner may create tables. */
const migrated = Effect.tap(emptyDatabase, (url) => migrate({ url }))

const partitions = (url: Redacted.Redacted) =>
  Effect.map(
    execute(
      url,
      `select c.relname as name from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = 'api_usage'::regclass
       order by substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \\(''([0-9-]+)')`
    ),
    (rows) => rows.map(({ name }) => String(name))
  )

/** The partition of the month that is so many months after the current one. */
const partitionOf = (months: number) => {
  let { first } = monthOf(today)
  for (let left = months; left > 0; left--) first = monthOf(first).end
  for (let left = months; left < 0; left++) first = monthOf(first - 1).first
  return `api_usage_${writeDay(first).slice(0, 7).replace("-", "")}`
}

/** Where the rows of each day are. */
const places = (url: Redacted.Redacted) =>
  execute(
    url,
    "select tableoid::regclass::text as place, day::text, calls::int from api_usage order by api_usage.day, outcome"
  )

const recordingRepo = (url: Redacted.Redacted) =>
  Effect.map(
    Layer.build(UsageRecordingRepo.Default.pipe(Layer.provide(databaseOn({ url, maxConnections: 2 })))),
    (context) => Context.get(context, UsageRecordingRepo)
  )

const addition = ({ account, keyId }: CallSource, day: number) =>
  ({ keyId, upstream: account.upstream, day, outcome: "2xx", calls: 1, age: 0 }) as const

/** What housekeeping does, with this setting. */
const rolling = (url: Redacted.Redacted, environment: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    Layer.build(
      UsagePartitions.Default.pipe(
        Layer.provide(UsageRecordingRepo.Default),
        Layer.provide(Layer.merge(databaseOn({ url, maxConnections: 4 }), meteringConfig(url, environment)))
      )
    ),
    (context) => Context.get(context, UsagePartitions).roll
  )

describe("months", () => {
  it.scopedLive(
    "those of the next three months are there, without a gap, also after the service was down",
    () =>
      Effect.gen(function* () {
        const url = yield* migrated
        const { call } = yield* subscribed(url)
        const roll = yield* rolling(url)
        const all = yield* partitions(url)
        expect(all).toEqual(["api_usage_first", ...[0, 1, 2, 3].map(partitionOf), "api_usage_other"])
        yield* roll
        expect(yield* partitions(url)).toEqual(all)
        // As if nobody had created any for months, and calls had come.
        for (const name of all.slice(1, -1)) yield* execute(url, `drop table ${name}`)
        const days = [today, monthOf(today).end, monthOf(today).end + 200]
        yield* (yield* recordingRepo(url)).write(
          newId(),
          1,
          days.map((day) => addition(call, day))
        )
        expect(yield* places(url)).toMatchObject(days.map(() => ({ place: "api_usage_other" })))
        yield* Effect.all([roll, roll, roll], { concurrency: "unbounded" })
        expect(yield* partitions(url)).toEqual(all)
        expect(yield* places(url)).toEqual([
          { place: partitionOf(0), day: writeDay(today), calls: 1 },
          { place: partitionOf(1), day: writeDay(monthOf(today).end), calls: 1 },
          { place: "api_usage_other", day: writeDay(monthOf(today).end + 200), calls: 1 }
        ])
      })
  )

  it.scopedLive("they are kept for ever, or as many as the operator wants; counts of plans stay", () =>
    Effect.gen(function* () {
      const url = yield* migrated
      const { call, subscriptionId } = yield* subscribed(url)
      const repo = yield* recordingRepo(url)
      yield* repo.write(newId(), 1, [addition(call, today - 3_000), addition(call, today)])
      // The first partition ended long ago.
      yield* execute(
        url,
        `alter table api_usage detach partition api_usage_first;
         create table api_usage_201801 partition of api_usage for values from ('2018-01-01') to ('2018-02-01');
         insert into api_usage select key_id, '2018-01-31', outcome, subscription_id, calls from api_usage_first limit 1;
         insert into api_usage select * from api_usage_first;
         drop table api_usage_first`
      )
      const before = yield* places(url)
      expect(before).toHaveLength(3)
      yield* yield* rolling(url)
      expect(yield* places(url)).toEqual(before)
      yield* yield* rolling(url, { RETENTION_USAGE_MONTHS: "12" })
      expect(yield* places(url)).toMatchObject([{ day: writeDay(today) }])
      expect(yield* partitions(url)).not.toContain("api_usage_201801")
      expect(yield* writtenMonth(url, subscriptionId)).toBe(2)
    })
  )

  it.scopedLive("the month at the end of the retention stays whole", () =>
    Effect.gen(function* () {
      const url = yield* migrated
      const month = (months: number) => {
        const name = partitionOf(months)
        return `${name.slice(-6, -2)}-${name.slice(-2)}-01`
      }
      yield* execute(
        url,
        `drop table api_usage_first;
         create table ${partitionOf(-12)} partition of api_usage for values from ('${month(-12)}') to ('${month(-11)}');
         create table ${partitionOf(-13)} partition of api_usage for values from ('${month(-13)}') to ('${month(-12)}')`
      )
      yield* yield* rolling(url, { RETENTION_USAGE_MONTHS: "12" })
      const left = yield* partitions(url)
      expect(left).toContain(partitionOf(-12))
      expect(left).not.toContain(partitionOf(-13))
    })
  )
})
