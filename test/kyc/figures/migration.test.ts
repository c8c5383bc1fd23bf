/** Sessions from before they were counted by day are counted once, with those whose events were still in the outbox. */
import { copyFileSync, readdirSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { migrate } from "../../../src/db/migrations.ts"
import { emptyDatabase } from "../../support/database.ts"
import { execute, temporaryFolder } from "../../support/postgres.ts"

const migrations = `${import.meta.dirname}/../../../migrations`

it.scopedLive("sessions of an earlier version are counted by day, each once", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const folder = yield* temporaryFolder
    const names = readdirSync(migrations).sort()
    for (const name of names.slice(
      0,
      names.findIndex((file) => file.endsWith("_session_days.sql"))
    ))
      copyFileSync(`${migrations}/${name}`, `${folder}/${name}`)
    yield* migrate({ url, folder })
    // Without the rows that they refer to.
    yield* execute(
      url,
      `set session_replication_role = replica;
       insert into kyc_sessions (id, instance_id, company_id, version_id, mode, status, token_hash, created_at, completed_at, expires_at)
       select gen_random_uuid(), '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-00000000000c', gen_random_uuid(),
         mode, status, sha256(convert_to(n::text, 'UTF8')), created_at::timestamptz, completed_at::timestamptz, expires_at::timestamptz
       from (values
         (1, 'prod', 'completed', '2026-01-01T23:00Z', '2026-01-02T01:00Z', '2026-01-03Z'),
         (2, 'prod', 'running', '2026-01-01T10:00Z', null, '2026-01-03Z'),
         (3, 'prod', 'created', '2026-01-02T10:00Z', null, '2099-01-01Z'),
         (4, 'dev', 'cancelled', '2026-01-02T10:00Z', '2026-01-02T11:00Z', '2026-01-03Z')
       ) as s (n, mode, status, created_at, completed_at, expires_at);
       insert into event_outbox (company_id, type, data, created_at)
       select company_id, 'kyc.session.created', jsonb_build_object('id', id, 'instance_id', instance_id, 'mode', mode), created_at
       from kyc_sessions where status = 'created'`
    )
    yield* migrate({ url })
    const counts = execute(
      url,
      `select day::text, mode, created, completed, failed, cancelled, expired from kyc_session_days
       where company_id = '00000000-0000-0000-0000-00000000000c' order by day, mode`
    )
    const none = { created: 0, completed: 0, failed: 0, cancelled: 0, expired: 0 }
    const [first, third] = [
      { ...none, day: "2026-01-01", mode: "prod", created: 2 },
      { ...none, day: "2026-01-03", mode: "prod", expired: 1 }
    ]
    const test = { ...none, day: "2026-01-02", mode: "dev", created: 1, cancelled: 1 }
    const second = { ...none, day: "2026-01-02", mode: "prod", completed: 1 }
    expect(yield* counts).toEqual([first, test, second, third])
    // The log of that time has no partition any more.
    yield* execute(
      url,
      `create table events_then partition of events for values from ('2026-01-01Z') to ('2026-01-03Z');
       insert into events (position, id, company_id, type, data, created_at)
       select number, id, company_id, type, data, created_at from event_outbox`
    )
    expect(yield* counts).toEqual([first, test, { ...second, created: 1 }, third])
  })
)
