/** How fast events go to webhook endpoints. The receiver answers at once, in a process of its own. */
import { Effect } from "effect"
import { createKey, send, signUp } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { execute } from "../../support/postgres.ts"
import { cpuMicros, median } from "../load.ts"
import { baseline, doorlockOnItsOwn } from "../servers.ts"
import { figure, rounds } from "../table.ts"

/** Deliveries of a round. */
const deliveries = 10_000

/** Single events of an idle service. */
const singles = 200

const quantile = (values: ReadonlyArray<number>, part: number) =>
  values.toSorted((left, right) => left - right)[Math.ceil(part * values.length) - 1] ?? Number.NaN

export const webhooks = Effect.gen(function* () {
  const service = yield* doorlockOnItsOwn
  const receiver = yield* baseline("receiver", {})
  const news = Effect.promise(async (): Promise<ReadonlyArray<number>> => (await fetch(receiver.url)).json())
  /** Waits for so many deliveries. Returns after how many milliseconds each arrived. */
  const arrived = (count: number) =>
    Effect.iterate([] as ReadonlyArray<number>, {
      while: ({ length }) => length < count,
      body: (some) => Effect.map(Effect.delay(news, "50 millis"), (more) => [...some, ...more])
    })
  const run = (text: string, values: ReadonlyArray<unknown> = []) =>
    execute(service.databaseUrl, text, values)

  /** A company with so many endpoints. */
  const withEndpoints = (count: number) =>
    Effect.gen(function* () {
      const member = yield* signUp(service)
      for (let at = 0; at < count; at++) {
        const { status } = yield* send(service, "POST", "/api/webhook-endpoints", {
          headers: { cookie: member.cookie },
          json: { url: `${receiver.url}/${at}` }
        })
        if (status !== 201) return yield* Effect.die(new Error(`An endpoint is refused: ${status}`))
      }
      return member
    })
  const allDone = eventually(
    "all deliveries have been made",
    300_000,
    Effect.map(run("select from work_jobs limit 1"), ({ length }) => length === 0)
  )

  /** The CPU time of the service and of Postgres, without processes that may end before they are read. */
  const spent = Effect.map(
    run(
      "select pid from pg_stat_activity where pid <> pg_backend_pid() and backend_type not like 'autovacuum%'"
    ),
    (backends) =>
      [...service.pids, ...backends.map(({ pid }) => Number(pid))].reduce(
        (sum, pid) => sum + cpuMicros(pid),
        0
      )
  )

  for (const endpoints of [1, 20]) {
    const { companyId } = yield* withEndpoints(endpoints)
    const round = Effect.gen(function* () {
      const before = yield* spent
      yield* run(
        `insert into event_outbox (company_id, type, data)
         select $1::uuid, 'api_key.created', jsonb_build_object('id', gen_random_uuid(), 'status', 'active', 'url', '/api/api-keys')
         from generate_series(1, $2::int)`,
        [companyId, deliveries / endpoints]
      )
      const began = performance.now()
      yield* arrived(deliveries)
      const milliseconds = performance.now() - began
      yield* allDone
      return {
        perSecond: (deliveries * 1_000) / milliseconds,
        micros: ((yield* spent) - before) / deliveries
      }
    })
    const measured = yield* Effect.replicateEffect(round, rounds)
    const perSecond = median(measured.map((one) => one.perSecond))
    const micros = median(measured.map((one) => one.micros))
    yield* figure(
      `deliveries a second to ${endpoints === 1 ? "one endpoint" : `${endpoints} endpoints`}, from the commit of ${deliveries / endpoints} events; CPU µs of each`,
      `${perSecond.toFixed(0)}, ${micros.toFixed(0)}`,
      "2,000",
      perSecond >= 2_000
    )
  }

  const member = yield* withEndpoints(1)
  const pause = Effect.suspend(() => Effect.sleep(Math.random() * 50))
  for (let at = 0; at < singles; at += 2) {
    const { id } = yield* createKey(service, member)
    yield* pause
    yield* send(service, "POST", `/api/api-keys/${id}/revoke`, { headers: { cookie: member.cookie } })
    yield* pause
  }
  const waits = yield* arrived(singles)
  const p99 = quantile(waits, 0.99)
  yield* figure(
    `ms from the event to its arrival when idle, p50 and p99 of ${waits.length}`,
    `${quantile(waits, 0.5).toFixed(0)}, ${p99.toFixed(0)}`,
    "p99 100",
    p99 <= 100
  )
})
