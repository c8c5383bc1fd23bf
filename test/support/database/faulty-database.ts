/** Runs the service on a database that a test breaks. */
import { Effect } from "effect"
import { expect } from "vitest"
import { startEmbeddedPostgres } from "../../../src/db/embedded.ts"
import { newToken } from "../../../src/secrets/token.ts"
import { productionTimes } from "../../../src/shared/times.ts"
import { type Answer, onboard, send } from "../client.ts"
import { type ContractRoute, errorOf, pathOf, routes } from "../contract.ts"
import { anyBody, type Company, credentialHeaders } from "../credentials.ts"
import { eventually } from "../eventually.ts"
import { secret } from "../kyc/captcha.ts"
import { temporaryFolder } from "../postgres.ts"
import { type RunningServer, startServerOn } from "../server.ts"
import { withTimes } from "../timing.ts"
import { proxied } from "./tcp-proxy.ts"

/** These routes give the same response without the database. */
const needNoDatabase = new Set([
  "GET /healthz",
  "GET /metrics",
  "GET /readyz",
  "GET /api/kyc/captcha/challenge",
  "POST /api/kyc/captcha/redeem",
  // What is no message is refused first; a tool's route needs it.
  "POST /mcp"
])

/** The routes that need the database. */
export const onDatabase = routes.filter(({ name }) => !needNoDatabase.has(name))

/** A request to every route that gets as far as the database. */
export const ask = (server: RunningServer, company: Company, route: ContractRoute): Effect.Effect<Answer> => {
  const { instance, member, session } = company
  const { email, password } = member
  // Nothing here is refused before a query: ids and tokens have the right form, and the address is unused.
  const fresh = {
    ...(route.pattern.endsWith("/signup") ? { email: `${crypto.randomUUID()}@example.com` } : {}),
    ...(route.pattern.startsWith("/api/auth/invitation") ? { token: newToken("dli_") } : {}),
    secret: newToken("kyc_hand_")
  }
  const id = route.pattern.startsWith("/api/events/") ? `evt_${session.id.replaceAll("-", "")}` : session.id
  return send(server, route.method, `${pathOf(route, id)}?token=${session.token}`, {
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

/** What a route returns when it cannot reach the database. */
export const ownFailure = (route: ContractRoute): unknown =>
  errorOf(route, route.metadata?.unexpected ?? "Internal server error")

/**
 * Each route answers its own 500 while the database is away, and the process says that it is not ready.
 *
 * @param concurrency how many routes are asked at once
 */
export const everyRouteFails = <E>(
  server: RunningServer,
  asked: (route: ContractRoute) => Effect.Effect<Answer, E>,
  concurrency: number
) =>
  Effect.gen(function* () {
    const answers = yield* Effect.forEach(
      onDatabase,
      (route) =>
        Effect.map(asked(route), ({ body, headers, status }) => ({
          name: route.name,
          answer: [status, body],
          named: headers.has("x-request-id")
        })),
      { concurrency }
    )
    expect(answers, "each route's own 500, with a request id").toEqual(
      onDatabase.map((route) => ({ name: route.name, answer: [500, ownFailure(route)], named: true }))
    )
    expect((yield* send(server, "GET", "/healthz")).status).toBe(200)
    const ready = yield* send(server, "GET", "/readyz")
    expect([ready.status, ready.text]).toEqual([503, '{"error":"Not ready"}'])
  })

/** A server on its own embedded database behind a proxy, and a company. */
export const start = Effect.gen(function* () {
  const dataDir = yield* temporaryFolder
  const { adminUrl: url } = yield* startEmbeddedPostgres({ dataDir })
  const proxy = yield* proxied(url)
  const server = yield* startServerOn(proxy.url, {
    CAPTCHA_JWT_SECRET: secret,
    GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true",
    DATA_DIR: yield* temporaryFolder
  }).pipe(withTimes(productionTimes))
  return { dataDir, url, proxy, server, company: yield* onboard(server) }
})

/** True, or the response that was not the session. */
export const reads = (server: RunningServer, { session }: Company) =>
  Effect.map(
    send(server, "GET", `${session.path}?token=${session.token}`),
    ({ status, text }) => status === 200 || `${status} ${text}`
  )

/** The service has recovered by itself. `bun run bench recovery` measures how fast. */
export const recovers = (server: RunningServer, company: Company) =>
  Effect.gen(function* () {
    yield* eventually(
      "a good answer after the database's return",
      Effect.map(reads(server, company), (result) => result === true)
    )
    yield* eventually(
      "ready after the database's return",
      Effect.map(send(server, "GET", "/readyz"), ({ status }) => status === 200)
    )
  })
