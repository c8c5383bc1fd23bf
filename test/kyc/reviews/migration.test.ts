/** Reviews of an earlier version get what lists and four eyes need, while sessions are read and changed. */
import { copyFileSync, readdirSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { connect } from "../../../src/db/connection.ts"
import { migrate } from "../../../src/db/migrations.ts"
import { emptyDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { execute, temporaryFolder } from "../../support/postgres.ts"

const migrations = `${import.meta.dirname}/../../../migrations`

it.scopedLive("the migrations of reviews lock no session, and complete reviews of an earlier version", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const folder = yield* temporaryFolder
    const names = readdirSync(migrations).sort()
    const before = names.findIndex((name) => name.endsWith("_resumed_tokens.sql")) + 1
    for (const name of names.slice(0, before)) copyFileSync(`${migrations}/${name}`, `${folder}/${name}`)
    yield* migrate({ url, folder })
    // Without the rows that they refer to.
    yield* execute(
      url,
      `set session_replication_role = replica;
       insert into kyc_sessions (id, instance_id, company_id, version_id, mode, status, token_hash, created_at, completed_at, expires_at)
       select id, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'prod', 'completed', sha256(id::text::bytea),
         '2026-01-01Z', '2026-01-02Z', '2026-01-03Z'
       from (values ('00000000-0000-0000-0000-000000000001'::uuid), ('00000000-0000-0000-0000-000000000002')) as s (id);
       insert into kyc_reviews (session_id, company_id, instance_id, status, proposal, proposed_by, proposed_at)
       select id, company_id, instance_id, 'proposed', 'approved',
         case when id = '00000000-0000-0000-0000-000000000001' then '00000000-0000-0000-0000-00000000000a' else 'api' end, now()
       from kyc_sessions`
    )
    const reviewer = yield* connect(url)
    yield* Effect.promise(() => reviewer.query("begin; select from kyc_reviews for update"))
    const migrating = yield* Effect.fork(migrate({ url }))
    let locked: unknown
    yield* eventually(
      "a migration waits for reviews",
      60_000,
      Effect.map(
        execute(
          url,
          `with locks as materialized (select * from pg_locks)
           select (
             select count(*)::int from locks held
             where held.pid = waiting.pid and held.granted and held.relation = 'kyc_sessions'::regclass and held.mode = 'AccessExclusiveLock'
           ) as sessions
           from locks waiting where waiting.relation = 'kyc_reviews'::regclass and not waiting.granted`
        ),
        ([found]) => {
          locked = found
          return found !== undefined
        }
      )
    )
    expect(locked).toEqual({ sessions: 0 })
    yield* Effect.promise(() => reviewer.query("commit"))
    yield* Fiber.join(migrating)
    const columns = { session_created_at: new Date("2026-01-01Z"), standing: "proposed" }
    expect(
      yield* execute(
        url,
        "select proposed_person, session_created_at, standing from kyc_reviews order by session_id"
      )
    ).toEqual([
      { proposed_person: "00000000-0000-0000-0000-00000000000a", ...columns },
      { proposed_person: null, ...columns }
    ])
  })
)
