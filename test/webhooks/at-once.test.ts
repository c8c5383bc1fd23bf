/** What happens to deliveries when something else happens at the same moment. */
import { expect } from "@effect/vitest"
import { Context, Effect, Fiber } from "effect"
import { connect } from "../../src/db/connection.ts"
import { WorkSignal } from "../../src/work/signal-service.ts"
import { field } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { statusAndBody } from "../support/kyc/partner.ts"
import { execute } from "../support/postgres.ts"
import { suite } from "../support/suite.ts"
import { hooked, type Received, startReceiver, WebhookServer } from "../support/webhooks/receiver.ts"

/** A company with an endpoint, and a connection on which the test holds locks until the scope closes. */
const holding = Effect.gen(function* () {
  const company = yield* hooked
  const { databaseUrl } = company.server
  const endpoint = yield* company.add("https://a.upstream.test/")
  const client = yield* connect(databaseUrl)
  const say = (text: string, values: ReadonlyArray<unknown> = []) =>
    Effect.promise(() => client.query(text, [...values]))
  yield* Effect.addFinalizer(() => say("rollback"))
  const waiting = Effect.map(
    execute(
      databaseUrl,
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    ),
    (statements) => statements.length
  )
  const waits = eventually(
    "a statement waits for the lock",
    Effect.map(waiting, (count) => count > 0)
  )
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const recover = company.ask("POST", `${endpoint.path}/recover`, { since })
  const collect = company.ask("GET", "/api/events")
  return { ...company, ...endpoint, databaseUrl, say, waiting, waits, recover, collect }
})

suite(WebhookServer.layer)("At the same moment", (it) => {
  it.scoped("a long recovery of an endpoint delays no new event, not even for that endpoint", () =>
    Effect.gen(function* () {
      const { ask, collect, databaseUrl, happen, id, path, recover, say, waits } = yield* holding
      yield* execute(
        databaseUrl,
        `insert into webhook_deliveries (id, endpoint_id, sequence, event_id, event_type, status, created_at)
         select gen_random_uuid(), $1, 1000 + n, gen_random_uuid(), 'api_key.created', 'failed', now() - n * interval '1 second'
         from generate_series(1, 600) n`,
        [id]
      )
      // The newest: the recovery has dealt with 500 others when it waits for this one.
      yield* say("begin")
      yield* say("select from webhook_deliveries where endpoint_id = $1 and sequence = 1001 for update", [id])
      const recovering = yield* Effect.fork(recover)
      yield* waits
      yield* happen
      expect((yield* collect).status).toBe(200)
      expect(
        field((yield* ask("GET", `${path}/deliveries?status=pending`)).body, "deliveries")
      ).toMatchObject([{ event_type: "api_key.created", sequence: 1 }])
      yield* say("commit")
      expect(statusAndBody(yield* Fiber.join(recovering))).toStrictEqual({
        status: 202,
        body: { deliveries: 600 }
      })
    })
  )

  it.scoped("a recovery whose endpoint answers slowly delays no new event", () =>
    Effect.gen(function* () {
      const { add, ask, happen, makeDue, server } = yield* hooked
      const collect = ask("GET", "/api/events")
      const receiver = yield* startReceiver
      const { path } = yield* add(receiver.url)
      yield* ask("PATCH", path, { status: "disabled" })
      yield* Effect.replicateEffect(happen, 20)
      yield* collect
      yield* ask("PATCH", path, { status: "enabled" })
      const isNew = ({ headers }: Received) => Number(headers["doorlock-sequence"]) > 20
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
      yield* eventually("the recovery has begun", () => recovered() > 0)
      yield* Effect.replicateEffect(happen, 10)
      yield* collect
      yield* eventually("all new ones have arrived", () => receiver.received.filter(isNew).length === 10)
      expect(recovered()).toBeLessThanOrEqual(2)
      gate.resolve()
      wake()
      yield* eventually("all have arrived", () => receiver.received.length === 30)
    })
  )

  it.scoped("two recoveries send each delivery once", () =>
    Effect.gen(function* () {
      const { databaseUrl, id, recover, say, waiting } = yield* holding
      yield* execute(
        databaseUrl,
        `insert into webhook_deliveries (id, endpoint_id, sequence, event_id, event_type, status, created_at)
         select gen_random_uuid(), $1, n, gen_random_uuid(), 'api_key.created', 'held', now() - n * interval '1 second'
         from generate_series(1, 600) n`,
        [id]
      )
      // The oldest: both recoveries have found the same deliveries when they wait for it.
      yield* say("begin")
      yield* say("select from webhook_deliveries where endpoint_id = $1 and sequence = 600 for update", [id])
      const recovering = yield* Effect.fork(Effect.all([recover, recover], { concurrency: "unbounded" }))
      yield* eventually(
        "both wait",
        Effect.map(waiting, (count) => count === 2)
      )
      yield* say("commit")
      const answers = (yield* Fiber.join(recovering)).map(({ body }) => Number(field(body, "deliveries")))
      expect(answers.sort((a, b) => a - b)).toStrictEqual([0, 600])
      expect(
        yield* execute(
          databaseUrl,
          "select round, count(*)::int as n from webhook_deliveries where endpoint_id = $1 group by 1",
          [id]
        )
      ).toStrictEqual([{ round: 2, n: 600 }])
    })
  )

  it.scoped(
    "a newer process records a type that this one does not know: this one delivers and shows it",
    () =>
      Effect.gen(function* () {
        const { add, ask, attemptDue, member, server } = yield* hooked
        const receiver = yield* startReceiver
        const { id, path } = yield* add(receiver.url)
        const type = "kyc.session.future"
        yield* execute(
          server.databaseUrl,
          "update webhook_endpoints set event_types = array['webhook.test', $2] where id = $1",
          [id, type]
        )
        const thing = crypto.randomUUID()
        yield* execute(
          server.databaseUrl,
          "insert into event_outbox (company_id, type, data) values ($1, $2, jsonb_build_object('id', $3::text))",
          [member.companyId, type, thing]
        )
        const read = (address: string) =>
          Effect.map(ask("GET", address), ({ body, status }) => {
            expect([address, status]).toStrictEqual([address, 200])
            return body
          })
        const shown = { type, data: { id: thing } }
        for (const query of ["", "?type=kyc.*", `?resource=${thing}`]) {
          expect(field(yield* read(`/api/events${query}`), "events")).toMatchObject([shown])
        }
        yield* attemptDue
        expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([shown])
        const deliveries = yield* read(`${path}/deliveries`)
        expect(field(deliveries, "deliveries")).toMatchObject([{ event_type: type, status: "succeeded" }])
        expect(
          yield* read(`/api/webhook-deliveries/${field(deliveries, "deliveries", 0, "id")}`)
        ).toMatchObject({ delivery: { event_type: type, event: shown } })
        expect(field(yield* read("/api/webhook-endpoints"), "endpoints")).toMatchObject([
          { event_types: ["webhook.test", type] }
        ])
      })
  )
})
