/** When a process looks for new events in the outbox. */
import * as SqlClient from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Clock, Effect, TestClock } from "effect"
import * as Database from "../../src/db/database.ts"
import { onRecorded, recordEvents, recordings } from "../../src/db/outbox.ts"
import { collecting } from "../../src/events/collecting.ts"
import { freshDatabase } from "../support/database.ts"

it.scoped("twice a second when idle, and soon after this process records an event", () =>
  Effect.gen(function* () {
    const looks: Array<number> = []
    yield* collecting(Effect.map(Clock.currentTimeMillis, (now) => looks.push(now)))
    /** When it looks in the next milliseconds. */
    const looksWithin = (milliseconds: number) =>
      Effect.gen(function* () {
        const start = yield* Clock.currentTimeMillis
        yield* TestClock.adjust(milliseconds)
        return looks.splice(0).map((at) => at - start)
      })
    expect(yield* looksWithin(0)).toStrictEqual([0])
    expect(yield* looksWithin(10_000)).toHaveLength(20)
    recordings.onCommit()
    expect(yield* looksWithin(1_600)).toStrictEqual([10, 510, 1_010, 1_510])
  })
)

it.scopedLive("once a transaction with an event has committed, and not before", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      let told = 0
      yield* onRecorded(() => void told++)
      /** How often it has been told of a commit since the last time. */
      const tidings = Effect.sync(() => {
        const count = told
        told = 0
        return count
      })
      const record = (data: string) => sql`
        with changed as (select ${data}::jsonb as data)
        ${recordEvents(sql, "api_key.created", { companyId: sql`gen_random_uuid()`, data: sql`data`, from: sql`changed` })}`
      const transaction = <A, E>(body: Effect.Effect<A, E>) => sql.withTransaction(body)

      yield* sql`select number from event_outbox`
      expect(yield* tidings).toBe(0)
      yield* record("{}")
      expect(yield* tidings).toBe(1)
      yield* Effect.exit(record("no JSON"))
      expect(yield* tidings).toBe(0)
      yield* transaction(
        Effect.gen(function* () {
          yield* record("{}")
          yield* record("{}").unprepared
          yield* sql`select ${1}::int`
          expect(yield* tidings).toBe(0)
        })
      )
      expect(yield* tidings).toBe(1)
      yield* transaction(sql`select ${1}::int`)
      expect(yield* tidings).toBe(0)
    }).pipe(Effect.provide(Database.layer({ url, maxConnections: 1 })))
  })
)
