/** What happens to deliveries when something else happens at the same moment. */
import { expect } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { connect } from "../../src/db/connection.ts"
import type { Attempted } from "../../src/webhooks/attempt-model.ts"
import { AttemptRepo } from "../../src/webhooks/attempts-repo.ts"
import { field } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { statusAndBody } from "../support/kyc/partner.ts"
import { execute } from "../support/postgres.ts"
import { suite } from "../support/suite.ts"
import { hooked, startReceiver, WebhookServer } from "../support/webhooks/receiver.ts"

/** What attempts read and write, apart from the dispatcher. */
const attempts = Effect.flatMap(WebhookServer, ({ services }) =>
  Effect.provide(AttemptRepo, AttemptRepo.Default).pipe(Effect.provide(services))
)

/** An attempt that was answered with 500. */
const refusedBy = (endpointId: string, round: Partial<Attempted> = {}): Attempted => ({
  id: crypto.randomUUID(),
  at: new Date(),
  round: 1,
  endpointId,
  milliseconds: 1,
  status: 500,
  reason: "The endpoint answered 500.",
  answer: "",
  nextAfter: null,
  url: "https://a.upstream.test/",
  gone: false,
  ...round
})

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

  it.scoped(
    "a recovery includes deliveries that are held by a statement that began while the endpoint was disabled",
    () =>
      Effect.gen(function* () {
        const { ask, collect, happen, id, path, recover, say, waiting, waits } = yield* holding
        yield* ask("PATCH", path, { status: "disabled" })
        yield* happen
        yield* say("begin")
        yield* say("select from webhook_sequences where endpoint_id = $1 for update", [id])
        const collecting = yield* Effect.fork(collect)
        yield* waits
        yield* ask("PATCH", path, { status: "enabled" })
        const recovering = yield* Effect.fork(recover)
        yield* eventually(
          "the recovery waits for that statement, or has ended too early",
          Effect.zipWith(
            waiting,
            Fiber.poll(recovering),
            (count, ended) => count === 2 || Option.isSome(ended)
          )
        )
        yield* say("commit")
        yield* Fiber.join(collecting)
        expect(statusAndBody(yield* Fiber.join(recovering))).toStrictEqual({
          status: 202,
          body: { deliveries: 1 }
        })
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

  it.scoped("two rounds of a delivery that end in one batch both count, and the later one decides", () =>
    Effect.gen(function* () {
      const { ask, databaseUrl, id, path } = yield* holding
      // As if each had been sent again while its first attempt was under way.
      const pending = yield* execute(
        databaseUrl,
        `insert into webhook_deliveries (id, endpoint_id, sequence, event_id, event_type, status, round, next_attempt_at, created_at)
         select gen_random_uuid(), $1, n, gen_random_uuid(), 'api_key.created', 'pending', 2, now(), now()
         from generate_series(1, 4) n returning id, to_json(created_at) #>> '{}' as at`,
        [id]
      )
      const good = { status: 204, reason: null }
      const ended = [
        [{ round: 1 }, { round: 2, ...good }],
        [{ round: 2, ...good }, { round: 1 }],
        [{ round: 1, ...good }, { round: 2 }],
        [{ round: 2 }, { round: 1, ...good }]
      ]
      yield* (yield* attempts).settle(
        pending.flatMap((row, n) =>
          (ended[n] ?? []).map((round) =>
            refusedBy(id, { id: String(row.id), at: new Date(String(row.at)), ...round })
          )
        )
      )
      const { body } = yield* ask("GET", `${path}/deliveries`)
      expect(field(body, "deliveries")).toMatchObject(
        ["failed", "failed", "succeeded", "succeeded"].map((status) => ({ status, attempts: 2 }))
      )
    })
  )

  it.scoped("a failure does not disable an endpoint that has succeeded meanwhile", () =>
    Effect.gen(function* () {
      const { ask, databaseUrl, id, say, waits } = yield* holding
      yield* execute(
        databaseUrl,
        "update webhook_endpoints set failures = 50, failing_since = now() - interval '6 days' where id = $1",
        [id]
      )
      // As another process settles a success.
      yield* say("begin")
      yield* say("update webhook_endpoints set failures = 0, failing_since = null where id = $1", [id])
      const settling = yield* Effect.fork((yield* attempts).settle([refusedBy(id)]))
      yield* waits
      yield* say("commit")
      yield* Fiber.join(settling)
      expect(field((yield* ask("GET", "/api/webhook-endpoints")).body, "endpoints", 0)).toMatchObject({
        status: "enabled"
      })
      expect(
        yield* execute(databaseUrl, "select failures from webhook_endpoints where id = $1", [id])
      ).toStrictEqual([{ failures: 1 }])
    })
  )

  it.scoped("an attempt that ends with 410 after the URL has changed does not disable the endpoint", () =>
    Effect.gen(function* () {
      const { add, ask, attemptDue, collect, happen, id } = yield* holding
      const [former, present] = [yield* startReceiver, yield* startReceiver]
      const answered = Promise.withResolvers<Response>()
      former.answer = () => answered.promise
      const { path } = yield* add(former.url)
      yield* ask("POST", `/api/webhook-endpoints/${id}/remove`)
      yield* happen
      yield* collect
      yield* eventually("an attempt is under way", () => former.received.length === 1)
      yield* ask("PATCH", path, { url: present.url })
      answered.resolve(new Response(null, { status: 410 }))
      yield* eventually(
        "the attempt has failed",
        Effect.map(
          ask("GET", `${path}/deliveries`),
          ({ body }) => field(body, "deliveries", 0, "attempts") === 1
        )
      )
      yield* happen
      yield* collect
      yield* attemptDue
      expect(field((yield* ask("GET", "/api/webhook-endpoints")).body, "endpoints")).toMatchObject([
        { status: "enabled", url: present.url }
      ])
      expect(present.received.length).toBeGreaterThan(0)
    })
  )

  it.scoped("a delivery is attempted whose endpoint is enabled while it is being held", () =>
    Effect.gen(function* () {
      const { add, ask, attemptDue, collect, databaseUrl, happen, say, waits } = yield* holding
      const receiver = yield* startReceiver
      receiver.answer = () => new Response(null, { status: 500 })
      const { id, path } = yield* add(receiver.url)
      yield* happen
      yield* collect
      yield* attemptDue
      receiver.answer = () => new Response(null, { status: 204 })
      yield* ask("PATCH", path, { status: "disabled" })
      const { body } = yield* ask("GET", `${path}/deliveries`)
      // As the transaction does in which it is held.
      yield* execute(databaseUrl, "delete from work_jobs where lane like '%/' || $1", [id])
      yield* say("begin")
      yield* say("update webhook_endpoints set disabled_at = null, disabled_reason = null where id = $1", [
        id
      ])
      const at = new Date(String(field(body, "deliveries", 0, "created_at")))
      const delivery = String(field(body, "deliveries", 0, "id"))
      const holdingIt = yield* Effect.fork((yield* attempts).hold([{ id: delivery, at, round: 1 }]))
      yield* waits
      yield* say("commit")
      yield* Fiber.join(holdingIt)
      yield* attemptDue
      expect(field((yield* ask("GET", `${path}/deliveries`)).body, "deliveries")).toMatchObject([
        { id: delivery, status: "succeeded", attempts: 2 }
      ])
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
        for (const query of [
          "",
          "?type=kyc.*",
          "?type=kyc.session.*&order=newest",
          `?resource=${thing}&type=kyc.*`
        ]) {
          expect(field(yield* read(`/api/events${query}`), "events")).toMatchObject([shown])
        }
        expect(field(yield* read("/api/events?type=api_key.*"), "events")).toStrictEqual([])
        yield* attemptDue
        expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([shown])
        const deliveries = yield* read(`${path}/deliveries`)
        expect(field(deliveries, "deliveries")).toMatchObject([{ event_type: type, status: "succeeded" }])
        expect(
          yield* read(`/api/webhook-deliveries/${field(deliveries, "deliveries", 0, "id")}`)
        ).toMatchObject({ delivery: { event_type: type, event: shown } })
        expect(yield* read(`/api/events/${field(deliveries, "deliveries", 0, "event_id")}`)).toMatchObject({
          event: shown
        })
        expect(field(yield* read("/api/webhook-endpoints"), "endpoints")).toMatchObject([
          { event_types: ["webhook.test", type] }
        ])
        expect(statusAndBody(yield* ask("PATCH", path, { description: "ours" }))).toMatchObject({
          status: 200,
          body: { endpoint: { event_types: ["webhook.test", type] } }
        })
        expect(
          yield* execute(server.databaseUrl, "select from work_poison where starts_with(lane, $1)", [
            member.companyId
          ])
        ).toHaveLength(0)
      })
  )
})
