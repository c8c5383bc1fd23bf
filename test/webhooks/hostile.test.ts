/** Receivers that hang, ask for absurd things or were away for long, and secrets that change under load. */
import { expect, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Events } from "../../src/events/service.ts"
import { WorkSignal } from "../../src/work/signal-service.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"
import { startServer } from "../support/server.ts"
import { hooked, type Received, startReceiver, WebhookServer } from "../support/webhooks/receiver.ts"

/** Closes after the receivers of its test. */
const starting = startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" })

/** A company on the server, whose events a test records by the thousand. */
const companyOn = (server: WebhookServer["Type"]) =>
  Effect.map(Effect.provideService(hooked, WebhookServer, server), (company) => ({
    ...company,
    record: (count: number) =>
      execute(
        server.databaseUrl,
        `insert into event_outbox (company_id, type, data)
         select $1::uuid, 'api_key.created', jsonb_build_object('id', n::text, 'status', 'active', 'url', '/api/api-keys')
         from generate_series(1, $2::int) as n`,
        [company.member.companyId, count]
      ).pipe(Effect.zipRight(Context.get(server.services, Events).collect))
  }))

const until = (what: string, condition: () => boolean) => eventually(what, Effect.sync(condition))

const sequences = (received: ReadonlyArray<Received>) =>
  new Set(received.map(({ headers }) => Number(headers["doorlock-sequence"])))

it.scopedLive(
  "an endpoint that hangs, with 1,000 deliveries waiting, delays no other",
  () =>
    Effect.gen(function* () {
      const server = yield* starting
      const [hanging, other] = [yield* companyOn(server), yield* companyOn(server)]
      const [silent, good] = [yield* startReceiver, yield* startReceiver]
      silent.answer = () => new Promise<Response>(() => {})
      const { id } = yield* hanging.add(silent.url)
      yield* other.add(good.url)
      yield* hanging.record(1_000)
      yield* until("six attempts hang", () => silent.received.length === 6)
      yield* other.record(100)
      yield* until("the other's deliveries have arrived", () => good.received.length === 100)
      expect(silent.received).toHaveLength(6)
      expect(
        yield* execute(
          server.databaseUrl,
          "select count(*)::int as waiting from webhook_deliveries where endpoint_id = $1 and status = 'pending'",
          [id]
        )
      ).toStrictEqual([{ waiting: 1_000 }])
    }),
  300_000
)

it.scopedLive(
  "a recovery delays no new event, although its endpoint answers more slowly than the recovery is paced",
  () =>
    Effect.gen(function* () {
      const server = yield* starting
      const { add, ask, makeDue, record } = yield* companyOn(server)
      const receiver = yield* startReceiver
      const { path } = yield* add(receiver.url)
      yield* ask("PATCH", path, { status: "disabled" })
      yield* record(100)
      yield* ask("PATCH", path, { status: "enabled" })
      const isNew = ({ headers }: Received) => Number(headers["doorlock-sequence"]) > 100
      const recovered = () => receiver.received.filter((request) => !isNew(request)).length
      // Recovered deliveries get no answer until all of the new ones have arrived.
      const gate = Promise.withResolvers<void>()
      receiver.answer = async (request) => {
        if (!isNew(request)) await gate.promise
        return new Response(null, { status: 204 })
      }
      const since = new Date(Date.now() - 3_600_000).toISOString()
      yield* ask("POST", `${path}/recover`, { since })
      // As if the time of the whole recovery had passed.
      yield* makeDue
      const { wake } = Context.get(server.services, WorkSignal)
      wake()
      yield* until("the recovery has begun", () => recovered() > 0)
      yield* record(20)
      yield* until("all new ones have arrived", () => receiver.received.filter(isNew).length === 20)
      expect(recovered()).toBeLessThanOrEqual(2)
      gate.resolve()
      wake()
      yield* until("all have arrived", () => sequences(receiver.received).size === 120)
    }),
  300_000
)
