/** How calls get into the table: all of them, once, whatever the database does. */
import { describe, expect } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, type Redacted } from "effect"
import { connect } from "../../../src/db/connection.ts"
import { dayOf } from "../../../src/marketplace/usage/calendar-model.ts"
import type { Outcome } from "../../../src/marketplace/usage/model.ts"
import { turnLock, UsageRecordingRepo } from "../../../src/marketplace/usage/recording-repo.ts"
import { newId } from "../../../src/shared/identifier.ts"
import { gateAfterReads } from "../../support/database/gate.ts"
import { withoutTable } from "../../support/database/outage.ts"
import { proxied } from "../../support/database/tcp-proxy.ts"
import { databaseOn, freshDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { MeteredDatabase } from "../../support/marketplace/metered-database.ts"
import { call, calls, type Metering, metering } from "../../support/marketplace/metering.ts"
import { subscribed, written, writtenMonth } from "../../support/marketplace/rows.ts"
import { execute } from "../../support/postgres.ts"
import { suite } from "../../support/suite.ts"

const lastUsed = (databaseUrl: Redacted.Redacted, keyId: string) =>
  Effect.map(
    execute(databaseUrl, "select last_used_at::text as at from marketplace_keys where id = $1", [keyId]),
    ([row]) => row?.at
  )

const recordingRepo = (databaseUrl: Redacted.Redacted) =>
  Effect.map(
    Layer.build(
      UsageRecordingRepo.Default.pipe(Layer.provide(databaseOn({ url: databaseUrl, maxConnections: 2 })))
    ),
    (context) => Context.get(context, UsageRecordingRepo)
  )

/** The turn to add batches to the counts: whoever has it is the only one. Ends with the scope. */
const turn = (databaseUrl: Redacted.Redacted) =>
  Effect.flatMap(connect(databaseUrl), (client) =>
    Effect.acquireRelease(
      Effect.promise(() => client.query(`select pg_advisory_lock(${turnLock})`)),
      () => Effect.promise(() => client.query("select pg_advisory_unlock_all()"))
    )
  )

/** A gate in what a process asks about its waiting batches. One of the two tables has a row for it: its batch waits, or it is counted. */
const gatedHearing = (databaseUrl: Redacted.Redacted) =>
  Effect.tap(
    gateAfterReads(databaseUrl, ["api_usage_batches", "api_usage_counts"], "select not exists"),
    ({ close }) => close
  )

const write = ({ run }: Metering) => run("marketplace.usage")

suite(MeteredDatabase.layer)((it) => {
  describe("usage", () => {
    it.scoped("a failing table loses nothing, and counts nothing twice", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const limits = yield* metering(databaseUrl)
        const { call: planned, subscriptionId } = yield* subscribed(databaseUrl)
        const twice = Effect.zipRight(write(limits), write(limits))
        yield* withoutTable(
          { databaseUrl },
          "api_usage_counts",
          Effect.gen(function* () {
            yield* calls(limits, planned, 40)
            yield* twice
            yield* calls(limits, planned, 60, "5xx")
            yield* twice
            // No partial write.
            expect(yield* written(databaseUrl, subscriptionId)).toEqual({})
            expect(yield* lastUsed(databaseUrl, planned.keyId)).toBeNull()
          })
        )
        yield* write(limits)
        expect(yield* written(databaseUrl, subscriptionId)).toEqual({ "2xx": 40, "5xx": 60 })
        expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(100)
      })
    )

    it.scoped("a lost response does not make a batch count twice", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const proxy = yield* proxied(databaseUrl)
        const limits = yield* metering(proxy.url)
        const { call: planned, subscriptionId } = yield* subscribed(databaseUrl)
        // The statement waits for the row; meanwhile the connection for its result is cut.
        const holder = yield* connect(databaseUrl)
        const hold = (statement: string) => Effect.promise(() => holder.query(statement))
        yield* hold("begin")
        yield* hold("select from marketplace_keys for update")
        yield* calls(limits, planned, 70)
        const writing = yield* Effect.fork(write(limits))
        yield* eventually(
          "the batch waits for the row",
          Effect.map(
            execute(
              databaseUrl,
              "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
            ),
            (waiting) => waiting.length > 0
          )
        )
        yield* proxy.cut
        yield* hold("commit")
        yield* Fiber.join(writing)
        yield* calls(limits, planned, 30)
        yield* write(limits)
        yield* call(limits, planned, "4xx")
        yield* write(limits)
        expect(yield* written(databaseUrl, subscriptionId)).toEqual({ "2xx": 100, "4xx": 1 })
        expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(101)
        expect(yield* execute(databaseUrl, "select id from api_usage_recorders")).toHaveLength(1)
      })
    )

    it.scoped("while another process adds: batches wait, and whoever is next adds all of them, once", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const { call: planned, subscriptionId } = yield* subscribed(databaseUrl)
        const repo = yield* recordingRepo(databaseUrl)
        const [first, second] = [newId(), newId()]
        const day = dayOf(Date.UTC(2026, 10, 20))
        const added = (outcome: Outcome, calls: number) =>
          [{ keyId: planned.keyId, upstream: "live", day, outcome, calls, age: 0 }] as const
        const waiting = Effect.map(
          execute(databaseUrl, "select from api_usage_batches"),
          ({ length }) => length
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* turn(databaseUrl)
            yield* repo.write(first, 1, added("2xx", 3))
            // Again, because its answer was lost.
            yield* repo.write(first, 1, added("2xx", 3))
            yield* repo.write(second, 2, added("denied", 5))
            yield* repo.addWaiting
            expect(yield* waiting).toBe(2)
            expect(yield* written(databaseUrl, subscriptionId)).toEqual({})
          })
        )
        yield* repo.write(second, 3, added("2xx", 10))
        expect(yield* waiting).toBe(0)
        yield* repo.write(first, 1, added("2xx", 3))
        expect(yield* written(databaseUrl, subscriptionId)).toEqual({ "2xx": 13, denied: 5 })

        // Of processes that have ended.
        yield* Effect.scoped(Effect.zipRight(turn(databaseUrl), repo.write(first, 4, added("5xx", 1))))
        yield* repo.addWaiting
        yield* repo.addWaiting
        expect(yield* written(databaseUrl, subscriptionId)).toEqual({ "2xx": 13, "5xx": 1, denied: 5 })
        expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(14)
      })
    )

    it.scoped(
      "a process whose batches wait counts them against the plan, and adds them when it is its turn",
      () =>
        Effect.gen(function* () {
          const databaseUrl = yield* freshDatabase
          const { call: planned, subscriptionId } = yield* subscribed(databaseUrl, { requestsPerMonth: 10 })
          yield* Effect.scoped(
            Effect.gen(function* () {
              const limits = yield* metering(databaseUrl)
              yield* Effect.scoped(
                Effect.gen(function* () {
                  yield* turn(databaseUrl)
                  expect(yield* calls(limits, planned, 6)).toBe(6)
                  yield* write(limits)
                  expect(yield* execute(databaseUrl, "select from api_usage_batches")).toHaveLength(1)
                  expect(yield* calls(limits, planned, 6)).toBe(4)
                })
              )
              // No call is made that would bring it about.
              yield* write(limits)
              expect(yield* written(databaseUrl, subscriptionId)).toEqual({ "2xx": 10, quota_exceeded: 2 })
              expect(yield* calls(limits, planned, 1)).toBe(0)
            })
          )
          expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(10)
          expect(yield* execute(databaseUrl, "select from api_usage_batches")).toEqual([])
        })
    )

    it.scoped("the last write of a process that ends is tried again if it fails", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const { call: planned, subscriptionId } = yield* subscribed(databaseUrl)
        yield* execute(
          databaseUrl,
          `create sequence tries;
           create function fails_once() returns trigger language plpgsql as $$
           begin
             if nextval('tries') = 1 then raise exception 'not yet'; end if;
             return new;
           end $$;
           create trigger fails_once before insert on api_usage_recorders for each row execute function fails_once()`
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            expect(yield* calls(yield* metering(databaseUrl), planned, 30)).toBe(30)
          })
        )
        expect(yield* written(databaseUrl, subscriptionId)).toEqual({ "2xx": 30 })
      })
    )

    it.scoped(
      "a batch that waited counts once against the plan, also before its process knows that it was added",
      () =>
        Effect.gen(function* () {
          const databaseUrl = yield* freshDatabase
          const gate = yield* gatedHearing(databaseUrl)
          const { call: planned, subscriptionId } = yield* subscribed(databaseUrl, { requestsPerMonth: 20 })
          const limits = yield* metering(databaseUrl)
          const another = yield* recordingRepo(databaseUrl)
          yield* Effect.addFinalizer(() => gate.open)
          const hearing = yield* Effect.scoped(
            Effect.gen(function* () {
              yield* turn(databaseUrl)
              expect(yield* calls(limits, planned, 6)).toBe(6)
              const writing = yield* Effect.forkDaemon(write(limits))
              // It sees its batch wait, but does not know yet.
              yield* gate.oneWaits
              return writing
            })
          )
          yield* another.addWaiting
          yield* call(limits, planned)
          yield* gate.letPass
          yield* Fiber.join(hearing)
          yield* Effect.forkDaemon(write(limits))
          yield* gate.oneWaits
          expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(7)
          expect((yield* call(limits, planned)).rateLimit).toMatch(/^"month";r=12;/)
        })
    )
  })

  describe("last_used_at", () => {
    it.scoped("is written with the usage, at most once a minute, forward and never back", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const limits = yield* metering(databaseUrl)
        const { call: planned, subscriptionId } = yield* subscribed(databaseUrl, { requestsPerMinute: 3 })
        const next = (expected: object) =>
          Effect.gen(function* () {
            yield* call(limits, planned)
            yield* write(limits)
            expect(yield* written(databaseUrl, subscriptionId)).toEqual(expected)
          })
        yield* next({ "2xx": 1 })
        const first = yield* lastUsed(databaseUrl, planned.keyId)
        expect(first).not.toBeNull()
        yield* next({ "2xx": 2 })
        expect(yield* lastUsed(databaseUrl, planned.keyId)).toBe(first)

        const move = (by: string) =>
          execute(
            databaseUrl,
            "update marketplace_keys set last_used_at = now() + $2::interval where id = $1",
            [planned.keyId, by]
          )
        yield* move("1 hour")
        const ahead = yield* lastUsed(databaseUrl, planned.keyId)
        yield* next({ "2xx": 3 })
        expect(yield* lastUsed(databaseUrl, planned.keyId)).toBe(ahead)

        // A call over the limit also counts as a use of the key.
        yield* move("-2 minutes")
        const behind = yield* lastUsed(databaseUrl, planned.keyId)
        yield* next({ "2xx": 3, rate_limited: 1 })
        expect(yield* lastUsed(databaseUrl, planned.keyId)).not.toBe(behind)
      })
    )
  })
})
