/** Events that only time causes: each is recorded once, also if the database's clock goes back, as after a failover (contract.md#event-types). */
import { expect, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { ApiKeyRepo } from "../../src/keys/repo.ts"
import { SessionRepo } from "../../src/kyc/sessions/repo.ts"
import { createKey, field, send } from "../support/client.ts"
import { companyOn } from "../support/kyc/partner.ts"
import { execute } from "../support/postgres.ts"
import { startServer } from "../support/server.ts"

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
