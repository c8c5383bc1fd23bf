/**
 * What an attempt reads and writes, while the planner knows nothing of the tables: a new installation, or a week that has just begun. It then
 * takes the deliveries of an endpoint that are pending for one.
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { newId } from "../../../src/shared/identifier.ts"
import { AttemptRepo } from "../../../src/webhooks/attempts-repo.ts"
import { databaseOn, freshDatabase } from "../../support/database.ts"
import { execute } from "../../support/postgres.ts"
import { explaining } from "./explained.ts"
import { fault } from "./judge.ts"

/** More than a statement may read, of those that it does not answer. */
const many = 2_000

it.scopedLive(
  "an attempt looks up its delivery by the id, also among many that are pending and without statistics",
  () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const { statements, url } = yield* explaining(database)
      const [company, endpoint] = [newId(), newId()]
      yield* execute(
        database,
        `do $$ declare part text; begin
          for part in select inhrelid::regclass from pg_inherits
            where inhparent in ('events'::regclass, 'webhook_deliveries'::regclass, 'webhook_attempts'::regclass)
          loop execute format('alter table %s set (autovacuum_enabled = false)', part); end loop;
        end $$`
      )
      yield* execute(database, "insert into companies (id, name) values ($1, 'Example Ltd')", [company])
      yield* execute(
        database,
        `with endpoint as (
          insert into webhook_endpoints (id, company_id, url, signing) values ($1, $2, 'https://example.com/', 'v1') returning id
        )
        insert into webhook_secrets (id, endpoint_id, sealed, sealed_by) select gen_random_uuid(), id, 'sealed', 'test' from endpoint`,
        [endpoint, company]
      )
      const pending = yield* execute(
        database,
        `with logged as (
          insert into events (position, id, company_id, type, data, created_at)
          select n, gen_random_uuid(), $1::uuid, 'api_key.created', '{}', now() from generate_series(1, $3::int) n returning *
        )
        insert into webhook_deliveries (id, endpoint_id, sequence, event_id, event_type, status, next_attempt_at, created_at)
        select gen_random_uuid(), $2::uuid, position, id, type, 'pending', now(), created_at from logged
        returning id, created_at as at, round`,
        [company, endpoint, many]
      )
      const rounds = pending
        .slice(0, 10)
        .map(({ at, id, round }) => ({ id: String(id), at: new Date(Number(at)), round: Number(round) }))
      yield* Effect.gen(function* () {
        const repo = yield* AttemptRepo
        const due = yield* repo.dueOf(rounds)
        expect(due.map(({ _tag }) => _tag)).toEqual(rounds.map(() => "Some"))
        yield* repo.settle(
          rounds.map((round) => ({
            ...round,
            endpointId: endpoint,
            milliseconds: 1,
            status: 204,
            reason: null,
            answer: "",
            nextAfter: null,
            url: "https://a.upstream.test/",
            gone: false
          }))
        )
      }).pipe(Effect.provide(Layer.provide(AttemptRepo.Default, databaseOn({ url, maxConnections: 2 }))))
      expect(
        yield* execute(
          database,
          "select status, count(*)::int as n from webhook_deliveries group by 1 order by 1"
        )
      ).toEqual([
        { status: "pending", n: many - rounds.length },
        { status: "succeeded", n: rounds.length }
      ])
      const own = statements.filter(({ text }) => text.includes("webhook_deliveries"))
      expect(own).toHaveLength(2)
      expect(
        own.map((one) => fault(one, () => "webhook_deliveries", [])).filter((one) => one !== undefined)
      ).toEqual([])
    })
)
