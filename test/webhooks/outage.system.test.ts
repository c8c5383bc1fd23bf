/** The database's connections break while results are written, and a replica loses its endpoint to another one. */
import { expect, it } from "@effect/vitest"
import { Effect, type Redacted } from "effect"
import { proxied, type TcpProxy } from "../support/database/tcp-proxy.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"
import { type OwnServer, startServerOn } from "../support/server.ts"
import { hooked, type Received, startReceiver, WebhookServer } from "../support/webhooks/receiver.ts"

/** A server on the database behind a link that a test can break. */
const startOn = (databaseUrl: Redacted.Redacted) =>
  Effect.gen(function* () {
    const link = yield* proxied(databaseUrl)
    const server = yield* startServerOn(link.url, { GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" })
    return { link, server: { ...server, databaseUrl } }
  })

const succeeded = (databaseUrl: Redacted.Redacted) =>
  Effect.map(
    execute(databaseUrl, "select from webhook_deliveries where status = 'succeeded'"),
    ({ length }) => length
  )

/** What is stored of the deliveries, once the server has no more work. */
const settled = ({ databaseUrl, run }: OwnServer, count: number) =>
  Effect.gen(function* () {
    const sql = (text: string) => Effect.orDie(execute(databaseUrl, text))
    yield* eventually(
      `${count} deliveries have succeeded`,
      Effect.zipRight(run("work.poll"), succeeded(databaseUrl)),
      (found) => found === count
    )
    yield* eventually(
      "no work is left",
      Effect.zipRight(
        run("work.poll"),
        sql("select key from work_lanes union all select lane from work_jobs")
      ),
      (left) => left.length === 0
    )
    expect(yield* sql("select from work_poison")).toHaveLength(0)
    return yield* sql(
      "select d.sequence::int as sequence, d.attempts, (select count(*)::int from webhook_attempts a where a.delivery_id = d.id) as logged from webhook_deliveries d order by 1"
    )
  })

const record = (databaseUrl: Redacted.Redacted, companyId: string, count: number) =>
  execute(
    databaseUrl,
    `insert into event_outbox (company_id, type, data)
     select $1::uuid, 'api_key.created', jsonb_build_object('id', n::text, 'status', 'active', 'url', '/api/api-keys')
     from generate_series(1, $2::int) as n`,
    [companyId, count]
  )

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

/** The bodies that arrived of each event. */
const bodies = (received: ReadonlyArray<Received>) =>
  [...Map.groupBy(received, ({ headers }) => headers["webhook-id"]).values()].map(
    (requests) => new Set(requests.map(({ body }) => body)).size
  )

it.scopedLive(
  "if connections are cut while results are settled, no delivery is lost or stuck, and each counts once",
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const { link, server } = yield* startOn(databaseUrl)
      const { add, member } = yield* Effect.provideService(hooked, WebhookServer, server)
      const receiver = yield* startReceiver
      yield* add(receiver.url)
      const cut = (proxy: TcpProxy) => Effect.runSync(proxy.cut)
      receiver.answer = () => {
        // In the next turns its result is written, and so are those of others.
        if (receiver.received.length % 10 === 0) setTimeout(() => cut(link), Math.random() * 10)
        return new Response(null, { status: 204 })
      }
      yield* record(databaseUrl, member.companyId, 60)
      // A cut connection may end this too.
      yield* server.run("events.collect")
      yield* eventually(
        "all events are in the log",
        Effect.zipRight(
          server.run("events.collect"),
          execute(databaseUrl, "select number::int as number from event_outbox")
        ),
        (left) => left.length === 0
      )
      const rows = yield* settled(server, 60)
      expect(rows).toStrictEqual(upTo(60).map((sequence) => ({ sequence, attempts: 1, logged: 1 })))
      expect(bodies(receiver.received)).toStrictEqual(Array(60).fill(1))
    })
)

it.scopedLive(
  "a replica that loses its database loses the endpoint to another replica, and its own attempts count once",
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const first = yield* startOn(databaseUrl)
      const { add, member } = yield* Effect.provideService(hooked, WebhookServer, first.server)
      const receiver = yield* startReceiver
      yield* add(receiver.url)
      const gate = Promise.withResolvers<void>()
      receiver.answer = async () => {
        await gate.promise
        return new Response(null, { status: 204 })
      }
      yield* record(databaseUrl, member.companyId, 20)
      yield* first.server.run("events.collect")
      yield* eventually(
        "the first replica has six under way",
        () => receiver.received.length,
        (count) => count === 6
      )
      const second = yield* startOn(databaseUrl)
      yield* first.link.refuse
      // As if it had not renewed its lease for long.
      yield* execute(databaseUrl, "update work_lanes set lease = now()")
      receiver.answer = () => new Response(null, { status: 204 })
      yield* eventually(
        "the other replica has delivered all",
        Effect.zipRight(second.server.run("work.poll"), succeeded(databaseUrl)),
        (count) => count === 20
      )
      yield* first.link.forward
      yield* first.server.run("work.renew")
      gate.resolve()
      const rows = yield* settled(second.server, 20)
      expect(rows).toStrictEqual(upTo(20).map((sequence) => ({ sequence, attempts: 1, logged: 1 })))
      expect(receiver.received).toHaveLength(26)
      expect(bodies(receiver.received)).toStrictEqual(Array(20).fill(1))
    }),
  300_000
)
