/** Sessions are in partitions by the time of their ids. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newId } from "../../src/shared/identifier.ts"
import { databaseOfOwner } from "../support/database.ts"
import { idAt } from "../support/kyc/session-ids.ts"
import { execute } from "../support/postgres.ts"

const partitions = `
  select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound from pg_inherits join pg_class c on c.oid = inhrelid
  where inhparent = 'kyc_sessions'::regclass order by 2`

const counts = "select count(*)::int as all, count(distinct id)::int as distinct from kyc_sessions"

it.scopedLive(
  "partitions of the next three months are there, without a gap, also after the service was down for long",
  () =>
    Effect.gen(function* () {
      const url = yield* databaseOfOwner
      const roll = execute(url, "call roll_session_partitions()")
      const known = yield* execute(url, partitions)
      expect(known.length).toBeGreaterThanOrEqual(5)
      yield* roll
      expect(yield* execute(url, partitions)).toEqual(known)
      // As if nobody had created any for months.
      for (const { name } of known.slice(1, -1)) yield* execute(url, `drop table ${String(name)}`)
      yield* Effect.all([roll, roll, roll], { concurrency: "unbounded" })
      expect(yield* execute(url, partitions)).toEqual(known)
      // Three months may have fewer days than their longest month three times.
      const days = yield* execute(
        url,
        `select ${idAt("day")} as id from generate_series(now(), now() + interval '3 months', interval '1 day') as day`
      )
      const ids = [newId(), Bun.randomUUIDv7("hex", 0), ...days.map(({ id }) => String(id))]
      const into = `insert into kyc_sessions (id, instance_id, company_id, version_id, mode, token_hash, expires_at)
      select id, id, id, id, 'prod', '', now() from unnest($1::uuid[]) as given (id)`
      yield* execute(url, into, [ids])
      expect(yield* execute(url, counts)).toEqual([{ all: ids.length, distinct: ids.length }])
    })
)
