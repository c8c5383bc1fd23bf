/** Events that only time causes: each is recorded once, also if the database's clock goes back, as after a failover (contract.md#event-types). */
import { expect, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { connect } from "../../src/db/connection.ts"
import { ApiKeyRepo } from "../../src/keys/repo.ts"
import { expiredAtOnce, SessionRepo } from "../../src/kyc/sessions/repo.ts"
import { createKey, field, send } from "../support/client.ts"
import { databaseOn, freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { companyOn } from "../support/kyc/partner.ts"
import { execute } from "../support/postgres.ts"
import { startServer, startServerOn } from "../support/server.ts"

/** A company, and a database whose clock a test moves: it moves everything that is stored with a time the other way. */
const given = Effect.gen(function* () {
  const server = yield* startServer()
  const company = yield* companyOn(server)
  const sql = (text: string, values: ReadonlyArray<unknown> = []) => execute(server.databaseUrl, text, values)
  /** @param seconds negative: the clock goes back */
  const pass = (seconds: number) =>
    sql(
      `with sessions as (update kyc_sessions set expires_at = expires_at - make_interval(secs => $1)),
         keys as (update api_keys set created_at = created_at - make_interval(secs => $1), expires_at = expires_at - make_interval(secs => $1))
       update event_watermarks set reached = reached - make_interval(secs => $1)`,
      [seconds]
    )
  const record = Effect.gen(function* () {
    yield* Context.get(server.services, SessionRepo).recordExpired
    yield* Context.get(server.services, ApiKeyRepo).recordExpiring
  })
  /** A session that expires so many seconds from now, and a key that is then seven days from its end. */
  const dueIn = (seconds: number) =>
    Effect.gen(function* () {
      const session = yield* company.newSession()
      const at = `now() + make_interval(secs => ${seconds})`
      yield* sql(`update kyc_sessions set expires_at = ${at} where id = $1`, [session.id])
      const key = yield* createKey(server, company.member)
      yield* sql(
        `update api_keys set created_at = now() - interval '1 day', expires_at = ${at} + interval '7 days' where id = $1`,
        [key.id]
      )
      return [session.id, key.id] as const
    })
  /** How many events of each the feed has. */
  const told = ([session, key]: readonly [string, string]) =>
    Effect.forEach(
      [
        ["kyc.session.expired", session],
        ["api_key.expiring", key]
      ] as const,
      ([type, resource]) =>
        Effect.map(
          send(server, "GET", `/api/events?type=${type}&resource=${resource}`, {
            headers: { "x-api-key": company.key.token }
          }),
          ({ body }) => [field(body, "events")].flat().length
        )
    )
  return { dueIn, pass, record, told }
})

it.scopedLive("once, if the clock goes back by less than the time for which they wait", () =>
  Effect.gen(function* () {
    const { dueIn, pass, record, told } = yield* given
    yield* record
    const due = yield* dueIn(60)
    yield* pass(95)
    yield* record
    expect(yield* told(due)).toStrictEqual([1, 1])
    yield* pass(-20)
    yield* record
    yield* pass(20)
    yield* record
    yield* pass(3_600)
    yield* record
    expect(yield* told(due)).toStrictEqual([1, 1])
  })
)

it.scopedLive("and what is due after the clock has gone back by an hour is not left out", () =>
  Effect.gen(function* () {
    const { dueIn, pass, record, told } = yield* given
    yield* record
    yield* pass(-3_600)
    yield* record
    const due = yield* dueIn(60)
    yield* pass(600)
    yield* record
    expect(yield* told(due)).toStrictEqual([1, 1])
  })
)

it.scopedLive("a session that is finished while its expiry is recorded keeps no others waiting", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const sql = (text: string, values: ReadonlyArray<unknown> = []) => execute(url, text, values)
    // It ends, so that nothing else records expiries.
    yield* Effect.scoped(
      Effect.flatMap(startServerOn(url), (server) =>
        Effect.flatMap(companyOn(server), ({ newSession }) => newSession())
      )
    )
    yield* sql(
      `insert into kyc_sessions (id, instance_id, company_id, version_id, mode, token_hash, expires_at)
       select (left(s.id::text, 24) || to_char(n, 'FM000000000000'))::uuid, s.instance_id, s.company_id, s.version_id, s.mode,
         sha256(n::text::bytea), s.expires_at
       from kyc_sessions s, generate_series(1, $1::int) n`,
      [expiredAtOnce]
    )
    yield* sql(
      `update kyc_sessions set expires_at = now() - interval '1 minute' + place * interval '1 millisecond'
       from (select id as this, row_number() over (order by id) as place from kyc_sessions) as numbered where id = this`
    )
    yield* sql("update event_watermarks set reached = now() - interval '2 minutes'")
    const client = yield* connect(url)
    const say = (text: string) => Effect.promise(() => client.query(text))
    yield* say("begin")
    yield* say(
      `update kyc_sessions set status = 'cancelled', completed_at = now()
       where id = (select id from kyc_sessions order by expires_at limit 1)`
    )
    const { recordExpired } = yield* SessionRepo.pipe(
      Effect.provide(SessionRepo.Default),
      Effect.provide(yield* Layer.build(databaseOn({ url, maxConnections: 1 })))
    )
    const recording = yield* Effect.fork(recordExpired)
    yield* eventually(
      "it waits for the session",
      Effect.map(
        sql("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"),
        ({ length }) => length === 1
      )
    )
    yield* say("commit")
    // So many that there may be more.
    expect(yield* Fiber.join(recording)).toBe(expiredAtOnce)
    expect(yield* recordExpired).toBe(1)
    expect(
      yield* sql("select count(*)::int as n from event_outbox where type = 'kyc.session.expired'")
    ).toStrictEqual([{ n: expiredAtOnce }])
  })
)
