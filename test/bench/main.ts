/**
 * `bun run bench`: doorlock and hand-written servers beside one another, on one Postgres, measured in turn; prints how they
 * compare. It needs `wrk`, and `nginx` for one row.
 *
 * `ROUNDS` (3) and `SECONDS` (5) say how often and how long each is measured.
 */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import { migrate } from "../../src/db/migrations.ts"
import { newToken } from "../../src/secrets/token.ts"
import {
  createInstance,
  createKey,
  createSession,
  type Member,
  send,
  signUp,
  text
} from "../support/client.ts"
import { atFixedRate } from "./fixed-rate.ts"
import { type Call, inTurn, type Measured } from "./load.ts"
import { baseline, doorlock, nginx, postgres, type Server } from "./servers.ts"

const rounds = Number(process.env.ROUNDS ?? 3)
const seconds = Number(process.env.SECONDS ?? 5)

const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

interface Row {
  readonly what: string
  readonly against: string
  readonly ratio: number
  readonly goal: number
  readonly ours: Measured
  readonly theirs: Measured
}

const thousands = (value: number) => `${(value / 1000).toFixed(1)}k`

const header = [
  "| What | Against | Ratio | Goal | req/s | against | CPU µs | against | p99 ms | against |",
  "|---|---|---|---|---|---|---|---|---|---|"
]

const line = ({ against, goal, ours, ratio, theirs, what }: Row): string =>
  `| ${what} | ${against} | ${ratio.toFixed(2)}${ratio >= goal ? "" : " (missed)"} | ${goal} | ${[
    thousands(ours.requestsPerSecond),
    thousands(theirs.requestsPerSecond),
    ours.cpuMicros.toFixed(0),
    theirs.cpuMicros.toFixed(0),
    ours.p99Millis.toFixed(1),
    theirs.p99Millis.toFixed(1)
  ].join(" | ")} |`

const compare = (what: string, against: string, goal: number, ours: [Server, Call], theirs: [Server, Call]) =>
  Effect.gen(function* () {
    const measured = yield* Effect.promise(() =>
      inTurn(
        { pids: ours[0].pids, call: ours[1] },
        { pids: theirs[0].pids, call: theirs[1] },
        rounds,
        seconds
      )
    )
    const row: Row = {
      what,
      against,
      goal,
      ratio: measured.ours.requestsPerSecond / measured.theirs.requestsPerSecond,
      ...measured
    }
    yield* say(line(row))
    return row
  })

const need = (answered: ReturnType<typeof send>) =>
  Effect.flatMap(answered, (answer) =>
    answer.status < 300 ? Effect.succeed(answer.body) : Effect.die(new Error(answer.text))
  )

/** An API of the upstream, published, and a key to call it with. */
const subscribed = (server: Server, member: Member, upstreamUrl: string) =>
  Effect.gen(function* () {
    const post = (path: string, json: unknown = {}, headers: Readonly<Record<string, string>> = {}) =>
      need(
        send(server, "POST", `/api/api-marketplace${path}`, {
          headers: { cookie: member.cookie, ...headers },
          json
        })
      )
    yield* post("/publishers", { slug: "bench", name: "Bench" })
    const api = text(yield* post("/apis", { slug: "small", name: "Small" }), "api", "id")
    yield* post(`/apis/${api}/versions`, { version: "1", upstreamUrl })
    const planId = text(yield* post(`/apis/${api}/plans`, { name: "free" }), "plan", "id")
    yield* post(`/apis/${api}/publish`)
    const made = yield* post(
      `/apis/${api}/subscribe`,
      { planId, name: "bench" },
      { "idempotency-key": crypto.randomUUID() }
    )
    return text(made, "token")
  })

/** Both servers give the same answer, byte for byte. */
const mustAgree = (left: Call, right: Call) =>
  Effect.promise(async () => {
    const [ours, theirs] = await Promise.all(
      [left, right].map(async ({ body, headers = {}, method = "GET", url }) => {
        const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
        return `${answer.status} ${await answer.text()}`
      })
    )
    if (ours !== theirs) throw new Error(`The servers differ:\n${ours}\n${theirs}`)
  })

const json = { "content-type": "application/json" }

const bench = Effect.gen(function* () {
  if (Bun.which("wrk") === null)
    return yield* Effect.die(new Error("There is no wrk: install it (Debian: apt-get install wrk nginx)"))
  const databaseUrl = yield* postgres
  yield* migrate({ url: databaseUrl })
  const service = yield* doorlock(databaseUrl)
  const written = yield* baseline("sessions", {
    DATABASE_URL: Redacted.value(databaseUrl),
    APP_URL: service.url
  })

  const member = yield* signUp({ ...service, databaseUrl })
  const key = yield* createKey({ ...service, databaseUrl }, member)
  const instance = yield* createInstance({ ...service, databaseUrl }, member)
  const session = yield* createSession({ ...service, databaseUrl }, key.token, instance.id, {
    externalReference: "customer-42",
    metadata: { plan: "gold" }
  })

  yield* say(`${rounds} rounds of ${seconds} s each, 32 connections; medians\n`)
  yield* Effect.forEach(header, say)

  const read = (server: Server): [Server, Call] => [
    server,
    { url: `${server.url}${session.path}?token=${session.token}` }
  ]
  yield* mustAgree(read(service)[1], read(written)[1])
  yield* compare("read a session", "Bun.serve and pg", 0.9, read(service), read(written))

  const create = (server: Server): [Server, Call] => [
    server,
    {
      url: `${server.url}/api/kyc/public/sessions`,
      method: "POST",
      headers: { ...json, "x-api-key": key.token },
      body: JSON.stringify({ instanceId: instance.id, externalReference: "customer-42" })
    }
  ]
  yield* compare("create a session with a key", "Bun.serve and pg", 0.9, create(service), create(written))

  // Each its own session: two servers at one row would wait for one another.
  const progress = (server: Server, { path, token }: typeof session): [Server, Call] => [
    server,
    {
      url: `${server.url}${path}/progress`,
      method: "POST",
      headers: json,
      body: JSON.stringify({ token, status: "running", progress: { s_person: { givenName: "Ada" } } })
    }
  ]
  const another = yield* createSession({ ...service, databaseUrl }, key.token, instance.id)
  yield* compare("progress", "Bun.serve and pg", 0.9, progress(service, session), progress(written, another))

  const upstream = yield* baseline("upstream", {})
  const token = yield* subscribed(service, member, upstream.url)
  const bare = yield* baseline("proxy", { UPSTREAM: upstream.url })
  const call: [Server, Call] = [
    service,
    { url: `${service.url}/gateway/bench/small/v/1/things?a=b`, headers: { "x-api-key": token } }
  ]
  const through = (server: Server): [Server, Call] => [
    server,
    { url: `${server.url}/things?a=b`, headers: { "x-api-key": token } }
  ]
  yield* mustAgree(call[1], through(bare)[1])
  yield* compare("gateway call with a valid key", "Bun fetch proxy", 0.9, call, through(bare))
  const front = yield* nginx(upstream.url)
  if (front === undefined)
    yield* say("| gateway call with a valid key | nginx | skipped: there is no nginx |")
  else yield* compare("gateway call with a valid key", "nginx, one worker", 0.5, call, through(front))

  const made = (path: string, headers: Readonly<Record<string, string>>): [Server, Call] => [
    service,
    { url: `${service.url}${path}`, headers, refused: true }
  ]
  const health: [Server, Call] = [service, { url: `${service.url}/healthz` }]
  const platformKey = { "x-api-key": newToken("dlk_").slice(0, -1).concat("0") }
  yield* compare(
    "refuse a made-up platform key",
    "/healthz of doorlock",
    0.95,
    made("/api/kyc/sessions", platformKey),
    health
  )

  yield* say(
    "\nLatency added at 1,000 requests/s, over what a call of the upstream itself takes (goal: p50 0.5 ms, p99 3 ms)\n"
  )
  const direct = yield* Effect.promise(() => atFixedRate(through(upstream)[1], 1000, seconds * 2))
  const added = yield* Effect.promise(() => atFixedRate(call[1], 1000, seconds * 2))
  yield* say(
    `p50 ${(added.p50Millis - direct.p50Millis).toFixed(2)} ms, p99 ${(added.p99Millis - direct.p99Millis).toFixed(2)} ms`
  )
})

await Effect.runPromise(Effect.scoped(bench).pipe(Logger.withMinimumLogLevel(LogLevel.Warning)))
