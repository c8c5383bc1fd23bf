/** The statement that moves events to the log is planned while its table is empty. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createKey, send, signUp } from "../../support/client.ts"
import { freshDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { execute } from "../../support/postgres.ts"
import { startServerOn } from "../../support/server.ts"

it.scopedLive(
  "events are moved by the index, although the outbox was empty when Postgres planned the statement",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      // One connection, so that all statements so far are in the statistics as soon as the last one is.
      const server = yield* startServerOn(url, { DATABASE_POOL: "1" })
      const key = yield* createKey(server, yield* signUp(server))
      const read = send(server, "GET", "/api/events", { headers: { "x-api-key": key.token } })
      const scans = Effect.map(
        execute(
          url,
          "select seq_scan::int, idx_scan::int from pg_stat_user_tables where relname = 'event_outbox'"
        ),
        ([row]) => ({ whole: Number(row?.seq_scan), byIndex: Number(row?.idx_scan) })
      )
      /** How often the outbox has been read, the next time included. */
      const afterNext = Effect.gen(function* () {
        const { byIndex, whole } = yield* scans
        yield* eventually(
          "the statistics include the next read",
          Effect.zipRight(
            read,
            Effect.map(scans, (now) => now.byIndex + now.whole > byIndex + whole)
          )
        )
        return yield* scans
      })
      yield* afterNext
      yield* execute(url, "vacuum analyze event_outbox")
      const before = yield* afterNext
      yield* execute(
        url,
        `insert into event_outbox (company_id, type, data)
       select company_id, type, data from events, generate_series(1, 1000)`
      )
      expect((yield* afterNext).whole).toBe(before.whole)
    })
)
