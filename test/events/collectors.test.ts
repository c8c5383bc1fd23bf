/** Several processes move events to the log at once. */
import { expect, it } from "@effect/vitest"
import { Effect, type Redacted } from "effect"
import { connect } from "../../src/db/connection.ts"
import { batch } from "../../src/events/repo.ts"
import { createKey, field, send, signUp } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"
import { startServer } from "../support/server.ts"

const record = (url: Redacted.Redacted<string>, companyId: string, id: string) =>
  execute(
    url,
    "insert into event_outbox (company_id, type, data) values ($1, 'kyc.session.created', jsonb_build_object('id', $2::text))",
    [companyId, id]
  )

/** How many sessions of the database wait for another's lock. */
const waiting = (url: Redacted.Redacted<string>, least: number) =>
  eventually(
    `${least} wait for a lock`,
    Effect.map(
      execute(
        url,
        "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
      ),
      ([row]) => Number(row?.n) >= least
    )
  )

const given = Effect.gen(function* () {
  const server = yield* startServer()
  const owner = yield* signUp(server)
  const key = yield* createKey(server, owner)
  const read = Effect.map(
    send(server, "GET", "/api/events?type=kyc.*&limit=100", { headers: { "x-api-key": key.token } }),
    ({ body }) => (field(body, "events") as ReadonlyArray<unknown>).map((event) => field(event, "data", "id"))
  )
  yield* read
  /** Another process's collector, which has moved the oldest events, at most a batch, and has not committed yet. */
  const held = Effect.gen(function* () {
    const client = yield* connect(server.databaseUrl)
    const ask = (text: string) => Effect.promise(() => client.query(text))
    yield* ask("begin")
    yield* ask("select position from event_log_end for update")
    yield* ask(`
      with taken as (
        delete from event_outbox where number in (select number from event_outbox order by number limit ${batch}) returning *
      ), reached as (
        update event_log_end set position = position + (select count(*) from taken)
        returning position - (select count(*) from taken) as start
      )
      insert into events (position, id, company_id, type, data, created_at)
      select start + row_number() over (order by number), id, company_id, type, data, created_at from taken, reached`)
    return ask("commit")
  })
  return { server, owner, companyId: owner.companyId, held, read }
})

it.scopedLive("who reads after a commit sees the event, even if another process is moving it", () =>
  Effect.gen(function* () {
    const { companyId, held, read, server } = yield* given
    yield* record(server.databaseUrl, companyId, "first")
    const commit = yield* held
    const reading = yield* Effect.fork(read)
    yield* waiting(server.databaseUrl, 1)
    yield* commit
    expect(yield* reading).toStrictEqual(["first"])
  })
)

it.scopedLive(
  "a test of an endpoint finds its delivery behind more events than another process moves at once",
  () =>
    Effect.gen(function* () {
      const { companyId, held, owner, server } = yield* given
      const ask = (path: string, json: object) =>
        send(server, "POST", `/api/webhook-endpoints${path}`, { headers: { cookie: owner.cookie }, json })
      const added = yield* ask("", { url: "https://endpoint.test/", eventTypes: [] })
      yield* execute(
        server.databaseUrl,
        `insert into event_outbox (company_id, type, data)
       select $1::uuid, 'kyc.session.created', jsonb_build_object('id', n::text) from generate_series(1, $2::int) n`,
        [companyId, batch]
      )
      const commit = yield* held
      const testing = yield* Effect.fork(ask(`/${field(added.body, "endpoint", "id")}/test`, {}))
      yield* waiting(server.databaseUrl, 1)
      yield* commit
      expect(yield* testing).toMatchObject({
        status: 202,
        body: { delivery: { event_type: "webhook.test", sequence: 1 } }
      })
    })
)

it.scopedLive("later events get larger positions, and none is moved twice", () =>
  Effect.gen(function* () {
    const { companyId, held, read, server } = yield* given
    yield* record(server.databaseUrl, companyId, "first")
    const commit = yield* held
    yield* record(server.databaseUrl, companyId, "second")
    const readers = yield* Effect.fork(Effect.replicateEffect(read, 3, { concurrency: "unbounded" }))
    yield* waiting(server.databaseUrl, 3)
    yield* record(server.databaseUrl, companyId, "third")
    yield* commit
    for (const seen of yield* readers) expect(seen.slice(0, 2)).toStrictEqual(["first", "second"])
    expect(yield* read).toStrictEqual(["first", "second", "third"])
    expect(
      yield* execute(
        server.databaseUrl,
        "select position from event_log_end where position <> (select max(position) from events)"
      )
    ).toHaveLength(0)
  })
)

it.scopedLive("who finds the outbox empty waits for nobody", () =>
  Effect.gen(function* () {
    const { held, read } = yield* given
    const commit = yield* held
    expect(yield* read).toStrictEqual([])
    yield* commit
  })
)
