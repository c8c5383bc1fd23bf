/** What happens to deliveries when something else happens at the same moment. */
import { expect } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { connect } from "../../src/db/connection.ts"
import type { Attempted } from "../../src/webhooks/attempt-model.ts"
import { AttemptRepo } from "../../src/webhooks/attempts-repo.ts"
import { field } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
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
})
