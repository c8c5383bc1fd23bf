/** Audit events are in partitions by company. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { migrate } from "../../src/db/migrations.ts"
import { emptyDatabase } from "../support/database.ts"
import { execute } from "../support/postgres.ts"

it.scopedLive("events of all companies are in 16 partitions", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    yield* migrate({ url })
    expect(
      yield* execute(
        url,
        `select relname as name, pg_get_expr(relpartbound, oid) as bound from pg_inherits join pg_class on oid = inhrelid
         where inhparent = 'audit_events'::regclass order by 1`
      )
    ).toEqual(
      Array.from({ length: 16 }, (_, n) => ({
        name: `audit_events_${String(n).padStart(2, "0")}`,
        bound: `FOR VALUES WITH (modulus 16, remainder ${n})`
      }))
    )
  })
)
