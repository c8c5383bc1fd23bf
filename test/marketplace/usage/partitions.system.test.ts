/** Usage is in partitions by month. */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, type Redacted, type Scope } from "effect"
import { connect } from "../../../src/db/connection.ts"
import { migrate } from "../../../src/db/migrations.ts"
import { dayOf, monthOf, readDay, writeDay } from "../../../src/marketplace/usage/calendar-model.ts"
import type { CallSource } from "../../../src/marketplace/usage/model.ts"
import { UsagePartitions } from "../../../src/marketplace/usage/partitions-service.ts"
import { UsageRecordingRepo } from "../../../src/marketplace/usage/recording-repo.ts"
import { newId } from "../../../src/shared/identifier.ts"
import { migrationsBefore } from "../../support/database/earlier.ts"
import { databaseOn, emptyDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { meteringConfig } from "../../support/marketplace/metering.ts"
import { subscribed, subscriptionKey, written, writtenMonth } from "../../support/marketplace/rows.ts"
import { execute } from "../../support/postgres.ts"

let today = dayOf(Date.now())

/** Begins anew if a month ends during the test, which has its partitions from the month of its beginning on. */
const inOneMonth = (title: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) =>
  it.scopedLive(title, () =>
    Effect.gen(function* () {
      today = dayOf(Date.now())
      const { first } = monthOf(today)
      const exit = yield* Effect.exit(Effect.scoped(test()))
      if (monthOf(dayOf(Date.now())).first === first) return yield* exit
      today = dayOf(Date.now())
      yield* test()
    })
  )

const beforePartitions = migrationsBefore("0062")

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

/** Rows as earlier processes left them. */
const stored = (url: Redacted.Redacted, { keyId, subscriptionId }: CallSource, days: ReadonlyArray<string>) =>
  execute(
    url,
    "insert into api_usage (key_id, day, outcome, subscription_id, calls) select $1, day, '2xx', $2, 7 from unnest($3::date[]) day",
    [keyId, subscriptionId, days]
  )

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

describe("moving into partitions", () => {
  inOneMonth("processes of the version before write meanwhile: nothing fails, nothing is lost", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      yield* migrate({ url, folder: yield* beforePartitions })
      const { api, call, subscriptionId } = yield* subscribed(url)
      const keys = [call, yield* subscriptionKey(url, api, subscriptionId)]
      yield* execute(
        url,
        `insert into api_usage (key_id, day, outcome, subscription_id, calls)
         select $1, (now() at time zone 'UTC')::date - n / 8, 'made up ' || n % 8, $2, 1 from generate_series(8, 40007) n`,
        [call.keyId, subscriptionId]
      )
      let isOver = false
      const counts = keys.map(() => 0)
      // The statement of the version before is that of this one. Two write at once: one adds, and the other leaves its batch.
      const writing = (key: CallSource, place: number) =>
        Effect.gen(function* () {
          const repo = yield* recordingRepo(url)
          const recorder = newId()
          for (let batch = 1; !isOver; batch++) {
            yield* repo.write(recorder, batch, [addition(key, today)])
            counts[place] = batch
          }
        })
      const running = yield* Effect.fork(Effect.all(keys.map(writing), { concurrency: "unbounded" }))
      const goesOn = (what: string) => {
        const least = counts.map((count) => count + 2)
        const more = eventually(what, () => counts.every((count, place) => count > (least[place] ?? 0)))
        return Effect.raceFirst(more, Effect.zipRight(Fiber.join(running), Effect.dieMessage(what)))
      }
      yield* goesOn("both have written")
      yield* migrate({ url })
      yield* goesOn("both write on")
      isOver = true
      yield* Fiber.join(running)
      yield* (yield* recordingRepo(url)).addWaiting
      expect(yield* written(url, subscriptionId, keys[0]?.keyId)).toMatchObject({ "2xx": counts[0] })
      expect(yield* written(url, subscriptionId, keys[1]?.keyId)).toEqual({ "2xx": counts[1] })
      expect(yield* writtenMonth(url, subscriptionId)).toBe((counts[0] ?? 0) + (counts[1] ?? 0))
      expect(
        yield* execute(
          url,
          "select count(*)::int as made, tableoid::regclass::text as place from api_usage where outcome ~ 'made up' group by 2"
        )
      ).toEqual([{ made: 40_000, place: "api_usage_first" }])
      expect(
        yield* execute(
          url,
          "select count(*)::int as n from pg_constraint where contype in ('c', 'f') and conrelid in (select oid from pg_class where relname ~ '^api_usage(_first|_other|_[0-9]{6})?$')"
        )
      ).toEqual([{ n: 0 }])
    })
  )

  inOneMonth("rows of a wrong clock neither stop it nor count for later months", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      yield* migrate({ url, folder: yield* beforePartitions })
      const { call, subscriptionId } = yield* subscribed(url)
      yield* stored(url, call, ["1999-01-01", writeDay(today), "2099-01-01"])
      // Also where dates are written otherwise.
      yield* execute(
        url,
        `do $$ begin execute format('alter database %I set datestyle = "SQL, DMY"', current_database()); end $$`
      )
      yield* migrate({ url })
      expect(yield* places(url)).toMatchObject([
        { place: "api_usage_first" },
        { place: "api_usage_first" },
        { place: "api_usage_other" }
      ])
      const repo = yield* recordingRepo(url)
      const far = readDay("2099-01-01") ?? 0
      yield* repo.write(newId(), 1, [addition(call, today), addition(call, far), addition(call, far + 40)])
      expect(yield* places(url)).toMatchObject([{ calls: 7 }, { calls: 8 }, { calls: 8 }, { calls: 1 }])
      expect(yield* written(url, subscriptionId)).toEqual({ "2xx": 24 })
    })
  )

  inOneMonth("the operator's own indexes and grants stay", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      yield* migrate({ url, folder: yield* beforePartitions })
      yield* execute(url, "create index our_report on api_usage (day, calls) where outcome = '5xx'")
      yield* execute(url, "create index our_api_usage_broken on api_usage (calls)")
      yield* execute(
        url,
        "update pg_index set indisvalid = false where indexrelid = 'our_api_usage_broken'::regclass"
      )
      yield* execute(url, "grant select on api_usage to pg_monitor; grant insert on api_usage to public")
      yield* migrate({ url })
      const all = yield* partitions(url)
      for (const index of ["our_report", "api_usage_subscription", "api_usage_pkey"]) {
        const of = `select count(*)::int as n from pg_inherits join pg_index on indexrelid = inhrelid
          where inhparent = $1::regclass and indisvalid`
        expect(yield* execute(url, of, [index])).toEqual([{ n: all.length }])
      }
      expect(
        yield* execute(
          url,
          `select coalesce(nullif(grantee, 0)::regrole::text, 'public') as to, privilege_type as right
           from pg_class, aclexplode(relacl) where oid = 'api_usage'::regclass and grantee <> relowner order by 1`
        )
      ).toEqual([
        { to: "pg_monitor", right: "SELECT" },
        { to: "public", right: "INSERT" }
      ])
    })
  )
})

describe("months", () => {
  inOneMonth("those of the next three months are there, without a gap, also after the service was down", () =>
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

  inOneMonth("they are kept for ever, or as many as the operator wants; counts of plans stay", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      yield* migrate({ url, folder: yield* beforePartitions })
      const { call, subscriptionId } = yield* subscribed(url)
      const repo = yield* recordingRepo(url)
      yield* repo.write(newId(), 1, [addition(call, today - 3_000), addition(call, today)])
      yield* migrate({ url })
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

  inOneMonth("the month at the end of the retention stays whole", () =>
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

  inOneMonth("a month that somebody reads is dropped later; new ones are created all the same", () =>
    Effect.gen(function* () {
      const url = yield* migrated
      yield* execute(
        url,
        `drop table api_usage_first, ${partitionOf(3)};
         create table api_usage_201801 partition of api_usage for values from ('2018-01-01') to ('2018-02-01')`
      )
      const reader = yield* connect(url)
      yield* Effect.promise(() => reader.query("begin; select from api_usage_201801"))
      const roll = yield* rolling(url, { RETENTION_USAGE_MONTHS: "12" })
      yield* roll
      const kept = yield* partitions(url)
      expect(kept).toContain("api_usage_201801")
      expect(kept).toContain(partitionOf(3))
      yield* Effect.promise(() => reader.query("commit"))
      yield* roll
      expect(yield* partitions(url)).not.toContain("api_usage_201801")
    })
  )

  inOneMonth("a view of the operator's own on a month keeps it, and no other; new ones are created", () =>
    Effect.gen(function* () {
      const url = yield* migrated
      yield* execute(
        url,
        `drop table api_usage_first;
         create table api_usage_201801 partition of api_usage for values from ('2018-01-01') to ('2018-02-01');
         create table api_usage_201802 partition of api_usage for values from ('2018-02-01') to ('2018-03-01');
         drop table ${partitionOf(3)};
         create view our_month as select * from api_usage_201801`
      )
      yield* execute(url, "call roll_usage_partitions(12)")
      const kept = yield* partitions(url)
      expect(kept).toContain("api_usage_201801")
      expect(kept).not.toContain("api_usage_201802")
      expect(kept).toContain(partitionOf(3))
    })
  )

  inOneMonth("who may not delete usage may not drop it either", () =>
    Effect.gen(function* () {
      const url = yield* migrated
      yield* execute(
        url,
        `drop table api_usage_first;
         create table api_usage_201801 partition of api_usage for values from ('2018-01-01') to ('2018-02-01')`
      )
      const name = `gateway_${newId().replaceAll("-", "")}`
      yield* Effect.acquireRelease(execute(url, `create role ${name} login`), () =>
        Effect.orDie(execute(url, `drop role ${name}`))
      )
      const asGateway = (statement: string) =>
        execute(url, `set session authorization ${name}; ${statement}`).pipe(Effect.either)
      expect(yield* asGateway("call roll_usage_partitions(12)")).toMatchObject({
        left: { cause: { code: "42501" } }
      })
      expect(yield* partitions(url)).toContain("api_usage_201801")
    })
  )
})
