/** Which statements are planned once, and which anew for their values. */
import * as SqlClient from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { databaseOn, freshDatabase } from "../../support/database.ts"

const planned = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const mode = sql`select current_setting('plan_cache_mode') as mode, current_setting('search_path') as path, ${1}::int as one`
  const alternating = Effect.all([mode, mode.unprepared, mode, mode.unprepared, mode.unprepared, mode])
  const outside = yield* alternating
  const inside = yield* sql.withTransaction(alternating)
  const nested = yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* Effect.ignore(
        sql.withTransaction(Effect.zipRight(mode.unprepared, sql`select ${1}::int / ${0}::int`))
      )
      return yield* alternating
    })
  )
  const after = yield* mode
  return [outside, inside, nested].map((all) => [...all, after].map(([row]) => row))
})

const once = "force_generic_plan"
const anew = "force_custom_plan"

it.scopedLive.each([
  ["", undefined, '"$user", public'],
  ["?options=-c%20search_path%3Dpublic,pg_temp", undefined, "public,pg_temp"],
  ["", "-c search_path=public", "public"]
] as const)(
  'plans prepared statements once, and others anew, also in transactions; with "%s" and PGOPTIONS %s',
  ([query, environment, path]) =>
    Effect.gen(function* () {
      const url = Redacted.make(Redacted.value(yield* freshDatabase) + query)
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          if (environment !== undefined) process.env.PGOPTIONS = environment
        }),
        () => Effect.sync(() => delete process.env.PGOPTIONS)
      )
      const found = yield* Effect.provide(planned, databaseOn({ url, maxConnections: 1 }))
      const wanted = [once, anew, once, anew, anew, once, once].map((mode) => ({ mode, path, one: 1 }))
      expect(found).toEqual([wanted, wanted, wanted])
    })
)
