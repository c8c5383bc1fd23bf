/** How fast events go to webhook endpoints. The receiver answers at once, in a process of its own. */
import { Effect } from "effect"
import { createKey, field, send, signUp } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { execute } from "../../support/postgres.ts"
import { cpuSpent } from "../cpu.ts"
import { median } from "../load.ts"
import { baseline, doorlockOnItsOwn } from "../servers.ts"
import { figure, rounds } from "../table.ts"

/** Deliveries of a round. */
const deliveries = 10_000

/** Single events of a service that does nothing else, or of one that replays or waits for others meanwhile. */
const singles = 400

/** What is replayed: so many events of two weeks, to so many endpoints of a company. */
const replayed = { events: 5_000, endpoints: 20 }

/** Deliveries that wait for an endpoint that hangs. */
const hanging = 100_000

interface Arrival {
  readonly type: string
  /** Milliseconds after its event. */
  readonly after: number
}

const quantile = (values: ReadonlyArray<number>, part: number) =>
  values.toSorted((left, right) => left - right)[Math.ceil(part * values.length) - 1] ?? Number.NaN

/** A service, its receiver, and what the rows do with them. */
const scene = Effect.gen(function* () {
  const service = yield* doorlockOnItsOwn
  const receiver = yield* baseline("receiver", {})
  const news = Effect.promise(async (): Promise<ReadonlyArray<Arrival>> => (await fetch(receiver.url)).json())
  const run = (text: string, values: ReadonlyArray<unknown> = []) =>
    execute(service.databaseUrl, text, values)
  return {
    service,
    run,

    /** Waits for so many deliveries of these types. Returns what arrived. */
    arrived: (count: number, types = "") =>
      Effect.iterate([] as ReadonlyArray<Arrival>, {
        while: (all) => all.filter(({ type }) => type.startsWith(types)).length < count,
        body: (some) => Effect.map(Effect.delay(news, "50 millis"), (more) => [...some, ...more])
      }),

    /** A company with endpoints at these paths. */
    companyWith: (paths: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const member = yield* signUp(service)
        const ask = (method: string, path: string, json: object) =>
          Effect.filterOrDie(
            send(service, method, path, { headers: { cookie: member.cookie }, json }),
            ({ status }) => status < 300,
            ({ status }) => new Error(`${method} ${path} is refused: ${status}`)
          )
        const endpoints: Array<string> = []
        for (const path of paths) {
          const { body } = yield* ask("POST", "/api/webhook-endpoints", { url: `${receiver.url}/${path}` })
          endpoints.push(`/api/webhook-endpoints/${field(body, "endpoint", "id")}`)
        }
        return { member, ask, endpoints }
      }),

    /** Records so many events of a company, evenly over the last days. */
    record: (companyId: string, type: string, count: number, days = 0) =>
      run(
        `insert into event_outbox (company_id, type, data, created_at)
         select $1::uuid, $2, jsonb_build_object('id', gen_random_uuid(), 'status', 'active', 'url', '/api/api-keys'),
           now() - $4::int * interval '1 day' * n / $3::int
         from generate_series($3::int, 1, -1) as n`,
        [companyId, type, count, days]
      ),

    allDone: eventually(
      "all deliveries have been made",
      Effect.map(run("select from work_jobs limit 1"), ({ length }) => length === 0)
    ),
    allCollected: eventually(
      "all events are in the log",
      Effect.map(run("select from event_outbox limit 1"), ({ length }) => length === 0)
    )
  }
})
type Scene = Effect.Effect.Success<typeof scene>

const numbered = (count: number) => Array.from({ length: count }, (_, at) => String(at))

/** Deliveries a second to a company's endpoints. */
const throughput = ({ allDone, arrived, companyWith, record, service }: Scene, endpoints: number) =>
  Effect.gen(function* () {
    const spent = Effect.map(
      cpuSpent(service.databaseUrl, service.pids),
      ({ postgres, service: own }) => own + postgres
    )
    const { member } = yield* companyWith(numbered(endpoints))
    const round = Effect.gen(function* () {
      const before = yield* spent
      yield* record(member.companyId, "api_key.created", deliveries / endpoints)
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
  })

export const webhooks = Effect.gen(function* () {
  const made = yield* scene
  const { allCollected, allDone, arrived, companyWith, record, run, service } = made
  yield* throughput(made, 1)
  yield* throughput(made, 20)

  const live = yield* companyWith(["live"])
  /** Prints how long single events take to arrive. Returns how many others arrived meanwhile, per second. */
  const singly = (what: string, goal: number) =>
    Effect.gen(function* () {
      const pause = Effect.suspend(() => Effect.sleep(Math.random() * 50))
      const { cookie } = live.member
      const began = performance.now()
      for (let at = 0; at < singles; at += 2) {
        const { id } = yield* createKey(service, live.member)
        yield* pause
        yield* send(service, "POST", `/api/api-keys/${id}/revoke`, { headers: { cookie } })
        yield* pause
      }
      const found = yield* arrived(singles, "api_key.")
      const waits = found.filter(({ type }) => type.startsWith("api_key.")).map(({ after }) => after)
      const [p50, p99, longest] = [0.5, 0.99, 1].map((part) => quantile(waits, part).toFixed(0))
      yield* figure(
        `ms from the event to its arrival ${what}; p50, p99 and longest of ${singles}`,
        `${p50}, ${p99}, ${longest}`,
        `p99 ${goal}`,
        Number(p99) <= goal
      )
      return ((found.length - waits.length) * 1_000) / (performance.now() - began)
    })
  const idle = yield* singly("when idle", 100)
  if (idle > 0) return yield* Effect.die(new Error("Other events arrived while the service was idle"))

  const silent = yield* companyWith(["hangs"])
  yield* record(silent.member.companyId, "kyc.session.created", hanging)
  yield* allCollected
  yield* singly(`while another endpoint hangs, with ${hanging} deliveries waiting`, 1_000)
  const [waiting] = yield* run("select count(*)::int as n from work_jobs")
  if (waiting?.n !== hanging) return yield* Effect.die(new Error("The endpoint did not hang"))
  yield* silent.ask("POST", `${silent.endpoints}/remove`, {})
  yield* allDone

  /** Holds two weeks of events for all endpoints of a company, and then sends them again. */
  const replay = ({ ask, endpoints, member }: typeof live) =>
    Effect.gen(function* () {
      const each = (method: string, suffix: string, json: object) =>
        Effect.forEach(endpoints, (endpoint) => ask(method, endpoint + suffix, json))
      yield* each("PATCH", "", { status: "disabled" })
      yield* record(member.companyId, "kyc.session.created", replayed.events, 14)
      yield* allCollected
      yield* each("PATCH", "", { status: "enabled" })
      yield* each("POST", "/recover", { since: new Date(Date.now() - 15 * 86_400_000).toISOString() })
    })
  yield* replay(live)
  const own = yield* singly(`while two weeks, ${replayed.events} events, are sent again to its endpoint`, 100)
  yield* replay(yield* companyWith(numbered(replayed.endpoints)))
  const all = yield* singly(`while the same is sent again to ${replayed.endpoints} others, too`, 100)
  // Half of the pace of 20 a second.
  if (own < 10 || all < 10 * (1 + replayed.endpoints)) {
    return yield* Effect.die(new Error(`The replays were slow: ${own} and ${all} a second`))
  }
})
