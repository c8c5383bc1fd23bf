/** When a process looks for new events in the outbox. */
import * as SqlClient from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Database from "../../src/db/database.ts"
import { onRecorded, recordEvents } from "../../src/db/outbox.ts"
import { createKey, signUp } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { execute } from "../support/postgres.ts"
import { startServer } from "../support/server.ts"

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

it.scopedLive("so events reach the log although nobody reads the feed", () =>
  Effect.gen(function* () {
    const server = yield* startServer()
    const member = yield* signUp(server)
    const { id } = yield* createKey(server, member)
    yield* server.run("events.collect")
    expect(
      yield* execute(server.databaseUrl, "select data ->> 'id' as id from events where company_id = $1", [
        member.companyId
      ])
    ).toContainEqual({ id })
  })
)
