/** Decisions 1: a database that is unreachable or failing is each route's own 500; recovery comes by itself. */
import { readFile } from "node:fs/promises"
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { startEmbeddedPostgres } from "../../src/db/embedded.ts"
import { newToken } from "../../src/secrets/token.ts"
import { type Answer, onboard, send } from "../support/client.ts"
import { type ContractRoute, errorOf, pathOf, routes } from "../support/contract.ts"
import { anyBody, type Company, credentialHeaders } from "../support/credentials.ts"
import { eventually } from "../support/eventually.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { databasePid } from "../support/program.ts"
import { type RunningServer, startServerOn } from "../support/server.ts"
import { proxied } from "../support/tcp-proxy.ts"

/** These say what they say without the database. */
const needNoDatabase = new Set([
  "GET /healthz",
  "GET /metrics",
  "GET /readyz",
  "GET /api/kyc/captcha/challenge",
  "POST /api/kyc/captcha/redeem"
])

const onDatabase = routes.filter(({ name }) => !needNoDatabase.has(name))

/** A request that gets as far as the database, on every route. */
const ask = (server: RunningServer, company: Company, route: ContractRoute): Effect.Effect<Answer> => {
  const { instance, member, session } = company
  const { email, password } = member
  // Nothing that is refused without a question: tokens of their own families, and an address that nobody has.
  const fresh = {
    ...(route.pattern.endsWith("/signup") ? { email: `${crypto.randomUUID()}@example.com` } : {}),
    ...(route.pattern.startsWith("/api/auth/invitation") ? { token: newToken("dli_") } : {}),
    secret: newToken("kyc_hand_")
  }
  return send(server, route.method, `${pathOf(route, session.id)}?token=${session.token}`, {
    headers: {
      ...credentialHeaders(company, route),
      // Uploads name their session so, and have no JSON body to do it.
      ...(route.credential === "none" ? { authorization: `Bearer ${session.token}` } : {})
    },
    ...(route.takesBody
      ? {
          json: {
            ...anyBody(session.token),
            ...{ companyName: "Acme", email, password, instanceId: instance.id },
            ...fresh
          }
        }
      : {})
  })
}

const start = Effect.gen(function* () {
  const dataDir = yield* temporaryFolder
  const { url } = yield* startEmbeddedPostgres({ dataDir })
  const proxy = yield* proxied(url)
  const server = yield* startServerOn(proxy.url)
  return { dataDir, url, proxy, server, company: yield* onboard(server) }
})

/** Every route's own 500, each within `seconds`, asked one after the other or all at once. */
const everyRouteFails = (
  server: RunningServer,
  company: Company,
  { seconds, concurrency }: { readonly seconds: number; readonly concurrency: number }
) =>
  Effect.gen(function* () {
    const answers = yield* Effect.forEach(
      onDatabase,
      (route) =>
        Effect.map(Effect.timed(ask(server, company, route)), ([elapsed, { body, headers, status }]) => ({
          name: route.name,
          answer: [status, body],
          named: headers.has("x-request-id"),
          inTime: Duration.toSeconds(elapsed) < seconds
        })),
      { concurrency }
    )
    expect(answers).toEqual(
      onDatabase.map((route) => ({
        name: route.name,
        answer: [500, errorOf(route, route.answers?.unexpected ?? "Internal server error")],
        named: true,
        inTime: true
      }))
    )
    expect((yield* send(server, "GET", "/healthz")).status).toBe(200)
    const ready = yield* send(server, "GET", "/readyz")
    expect([ready.status, ready.text]).toEqual([503, '{"error":"Not ready"}'])
  })

const reads = (server: RunningServer, { session }: Company) =>
  Effect.map(
    send(server, "GET", `${session.path}?token=${session.token}`),
    ({ status, text }) => status === 200 || `${status} ${text}`
  )

const recovers = (server: RunningServer, company: Company) =>
  Effect.gen(function* () {
    yield* eventually(
      "a good answer after the database's return",
      2_000,
      Effect.map(reads(server, company), (result) => result === true)
    )
    yield* eventually(
      "ready after the database's return",
      2_000,
      Effect.map(send(server, "GET", "/readyz"), ({ status }) => status === 200)
    )
  })

/** What a few clients see that read, write and create without a pause, until `during` is over. */
const underLoad = <E, R>(server: RunningServer, company: Company, during: Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const seen = new Set<string>()
    const loaded = routes.filter(({ name }) =>
      [
        "GET /api/kyc/public/sessions/:sessionId",
        "POST /api/kyc/public/sessions/:sessionId/progress",
        "POST /api/kyc/public/sessions",
        "GET /api/api-keys/stats"
      ].includes(name)
    )
    const loops = yield* Effect.forEach([...loaded, ...loaded], (route) =>
      ask(server, company, route).pipe(
        Effect.tap(({ status, text }) =>
          Effect.sync(() => seen.add(status < 300 ? "good" : `${route.name} ${status} ${text}`))
        ),
        Effect.forever,
        Effect.fork
      )
    )
    yield* during
    yield* Fiber.interruptAll(loops)
    const allowed = loaded.map((route) =>
      [route.name, 500, JSON.stringify(errorOf(route, route.answers?.unexpected ?? ""))].join(" ")
    )
    expect(["good", ...allowed]).toEqual(expect.arrayContaining([...seen]))
    expect(seen).toContain("good")
  })

it.scopedLive(
  "refusing connections: each route's own 500, and good again within 2 s of its return",
  () =>
    Effect.gen(function* () {
      const { company, proxy, server } = yield* start
      yield* proxy.refuse
      yield* everyRouteFails(server, company, { seconds: 5, concurrency: 1 })
      yield* proxy.forward
      yield* recovers(server, company)
    }),
  60_000
)

it.scopedLive(
  "not answering any more: each route's own 500 in bounded time, and good again",
  () =>
    Effect.gen(function* () {
      const { company, dataDir, server } = yield* start
      const postmaster = yield* databasePid(dataDir)
      const children = yield* Effect.promise(() =>
        readFile(`/proc/${postmaster}/task/${postmaster}/children`, "utf8")
      )
      const all = [postmaster, ...children.trim().split(" ").map(Number)]
      const signal = (name: NodeJS.Signals) =>
        Effect.sync(() => {
          for (const pid of all) {
            try {
              process.kill(pid, name)
            } catch {
              // One of those that were going to end has ended.
            }
          }
        })
      yield* Effect.acquireRelease(signal("SIGSTOP"), () => signal("SIGCONT"))
      // A statement is given up after 10.5 s, and nobody waits longer than 3 s for a connection.
      yield* everyRouteFails(server, company, { seconds: 16, concurrency: onDatabase.length })
      yield* signal("SIGCONT")
      yield* recovers(server, company)
    }),
  90_000
)

it.scopedLive(
  "connections cut under load: good answers or the route's own 500, and good again",
  () =>
    Effect.gen(function* () {
      const { company, proxy, server } = yield* start
      yield* underLoad(
        server,
        company,
        Effect.gen(function* () {
          for (let i = 0; i < 10; i++) {
            yield* proxy.cut
            yield* recovers(server, company)
          }
          yield* proxy.refuse
          yield* eventually(
            "the loss is noticed",
            2_000,
            Effect.map(reads(server, company), (result) => result !== true)
          )
          yield* proxy.forward
          yield* recovers(server, company)
        })
      )
    }),
  60_000
)

it.scopedLive(
  "killed under load: good answers or the route's own 500, and good again",
  () =>
    Effect.gen(function* () {
      const { company, dataDir, server, url } = yield* start
      yield* underLoad(
        server,
        company,
        Effect.gen(function* () {
          for (let i = 0; i < 2; i++) {
            const pid = yield* databasePid(dataDir)
            process.kill(pid, "SIGKILL")
            yield* eventually(
              "it is started again",
              15_000,
              Effect.map(databasePid(dataDir), (now) => now > 1 && now !== pid).pipe(
                // Between the two there is no file.
                Effect.catchAllDefect(() => Effect.succeed(false))
              )
            )
            // Waits for the server as long as it takes.
            yield* execute(url, "select 1")
            yield* recovers(server, company)
          }
        })
      )
    }),
  60_000
)

it.scopedLive(
  "back-ends ended one by one under load: good answers or the route's own 500",
  () =>
    Effect.gen(function* () {
      const { company, server, url } = yield* start
      yield* underLoad(
        server,
        company,
        Effect.gen(function* () {
          for (let i = 0; i < 10; i++) {
            yield* execute(
              url,
              "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
            )
            yield* recovers(server, company)
          }
        })
      )
    }),
  60_000
)
