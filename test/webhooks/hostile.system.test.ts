/** Receivers that hang, ask for absurd things or were away for long, and secrets that change under load. */
import { expect, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { Events } from "../../src/events/service.ts"
import { WorkSignal } from "../../src/work/signal-service.ts"
import { text } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { statusAndBody } from "../support/kyc/partner.ts"
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

const until = (what: string, condition: () => boolean) => eventually(what, condition)

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

it.scopedLive(
  "two rotations within an hour, under load: each secret verifies what is sent while it is good",
  () =>
    Effect.gen(function* () {
      const { add, ask, record } = yield* companyOn(yield* starting)
      const receiver = yield* startReceiver
      const { body, path } = yield* add(receiver.url)
      const secrets = [text(body, "secret")]
      for (const enough of [20, 120]) {
        yield* record(100)
        yield* until("some have arrived", () => receiver.received.length >= enough)
        const rotated = yield* ask("POST", `${path}/secret/rotate`, { overlapSeconds: 3_600 })
        secrets.push(text(rotated.body, "secret"))
      }
      yield* record(100)
      yield* until("all have arrived", () => sequences(receiver.received).size === 300)
      // Of eight secrets, the five newest sign.
      for (let more = 0; more < 5; more++) {
        const rotated = yield* ask("POST", `${path}/secret/rotate`, { overlapSeconds: 3_600 })
        secrets.push(text(rotated.body, "secret"))
      }
      yield* record(1)
      yield* until("the last has arrived", () => sequences(receiver.received).size === 301)
      const verify = (secret: string | undefined, { body, headers }: Received) =>
        new Webhook(secret ?? "").verify(body, { ...headers })
      const last = receiver.received.find(({ headers }) => headers["doorlock-sequence"] === "301")
      if (last === undefined) throw new Error("The last request is missing")
      for (const header of ["webhook-signature", "doorlock-sequence-signature"]) {
        expect(last.headers[header]?.split(" ")).toHaveLength(5)
      }
      for (const secret of secrets.slice(3)) expect(() => verify(secret, last)).not.toThrow()
      for (const secret of secrets.slice(0, 3)) {
        expect(() => verify(secret, last)).toThrow("No matching signature found")
      }
      for (const request of receiver.received.filter((one) => one !== last)) {
        expect(verify(secrets[0], request)).toMatchObject({ type: "api_key.created" })
        // Recorded after the last rotation.
        if (Number(request.headers["doorlock-sequence"]) > 200) {
          for (const secret of secrets.slice(0, 3)) expect(() => verify(secret, request)).not.toThrow()
        }
      }
    })
)

it.scopedLive(
  "1,200 events of a disabled endpoint are all recovered, paced",
  () =>
    Effect.gen(function* () {
      const server = yield* starting
      const { add, ask, makeDue, record } = yield* companyOn(server)
      const receiver = yield* startReceiver
      const { id, path } = yield* add(receiver.url)
      yield* ask("PATCH", path, { status: "disabled" })
      yield* record(1_200)
      yield* ask("PATCH", path, { status: "enabled" })
      // Until the times have been read, none is settled.
      const gate = Promise.withResolvers<void>()
      receiver.answer = () => gate.promise.then(() => new Response(null, { status: 204 }))
      const [before] = yield* execute(server.databaseUrl, "select now()::text as now")
      const since = new Date(Date.now() - 3_600_000).toISOString()
      expect(statusAndBody(yield* ask("POST", `${path}/recover`, { since }))).toStrictEqual({
        status: 202,
        body: { deliveries: 1_200 }
      })
      expect(
        yield* execute(
          server.databaseUrl,
          "select max(next_attempt_at) >= $2::timestamptz + 1200 * interval '50 milliseconds' as paced from webhook_deliveries where endpoint_id = $1",
          [id, before?.now]
        )
      ).toStrictEqual([{ paced: true }])
      yield* makeDue
      gate.resolve()
      Context.get(server.services, WorkSignal).wake()
      yield* until("all have arrived", () => sequences(receiver.received).size === 1_200)
    }),
  300_000
)
