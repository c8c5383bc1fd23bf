/** Decisions 1, protective limits, on the routes that anybody reaches: per address, and loopback is exempt. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { newToken } from "../../src/secrets/token.ts"
import { type Answer, type SendOptions, send, text } from "../support/client.ts"
import { type ContractRoute, errorOf, pathOf, routes } from "../support/contract.ts"
import { anyBody } from "../support/credentials.ts"
import { freshDatabase } from "../support/database.ts"
import { companyOn } from "../support/kyc.ts"
import { execute } from "../support/postgres.ts"
import { startServerOn } from "../support/server.ts"

/** A server that believes the test what its address is. */
const behindProxy = Effect.gen(function* () {
  const server = yield* startServerOn(yield* freshDatabase, { TRUSTED_PROXIES: "127.0.0.1" })
  const from = (address: string, method: string, path: string, options: SendOptions = {}) =>
    send(server, method, path, {
      ...options,
      headers: { "x-forwarded-for": address, ...options.headers }
    })
  return { server, from }
})

const expectThrottled = (answer: Answer, longest: number, body: unknown = { error: "Too many requests" }) => {
  expect([answer.status, answer.body]).toStrictEqual([429, body])
  expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
  expect(Number(answer.headers.get("retry-after"))).toBeLessThanOrEqual(longest)
}

/** Asks until the answer is a 429, and answers that, and how many answers came before it. */
const untilThrottled = (ask: (i: number) => Effect.Effect<Answer>, look: (answer: Answer) => void) =>
  Effect.gen(function* () {
    let before = 0
    let answer = yield* ask(before)
    while (answer.status !== 429) {
      look(answer)
      before++
      answer = yield* ask(before)
    }
    return { answer, before }
  })

const sessionRoutes = routes.filter(({ pattern }) =>
  pattern.startsWith("/api/kyc/public/sessions/:sessionId")
)

const isUpload = ({ pattern }: ContractRoute) => pattern.endsWith("/files")

/** A request of the route for a session, with the token wherever the route looks for one. */
const requestFor = (route: ContractRoute, id: string, token: string) => {
  const path = pathOf(route, id)
  if (route.method === "GET") return { path: `${path}?token=${token}`, options: {} }
  return isUpload(route)
    ? { path, options: { headers: { authorization: `Bearer ${token}` }, body: Buffer.from("x") } }
    : { path, options: { json: { ...anyBody(token), secret: token.replace("kyc_sess_", "kyc_hand_") } } }
}

describe("session tokens that are made up: 100 in a row, then one a second", () => {
  it.scopedLive(
    "each route counts, and all together",
    () =>
      Effect.gen(function* () {
        expect(sessionRoutes.length).toBeGreaterThan(8)
        const { from, server } = yield* behindProxy
        const started = performance.now()
        const next = (i: number) => {
          const route = sessionRoutes[i % sessionRoutes.length]
          if (route === undefined) return Effect.dieMessage("No route")
          const { options, path } = requestFor(route, crypto.randomUUID(), newToken("kyc_sess_"))
          return from("203.0.113.1", route.method, path, options)
        }
        const { answer, before } = yield* untilThrottled(next, ({ status }) => expect(status).toBe(404))
        expectThrottled(answer, 1)
        expect(before).toBeGreaterThanOrEqual(100)
        expect(before).toBeLessThanOrEqual(101 + (performance.now() - started) / 1000)

        // Nobody else is held up, and who is beside us never is.
        const path = `/api/kyc/public/sessions/x?token=${newToken("kyc_sess_")}`
        for (const address of ["203.0.113.2", "2001:db8::1"]) {
          expect((yield* from(address, "GET", path)).status).toBe(404)
        }
        for (let i = 0; i < 150; i++) {
          const answer = yield* send(
            server,
            "GET",
            `/api/kyc/public/sessions/x?token=${newToken("kyc_sess_")}`
          )
          expect(answer.status).toBe(404)
        }
      }),
    60_000
  )

  it.scopedLive(
    "beyond that each route says 429, in its own form, and what is no guess goes on behind the same address",
    () =>
      Effect.gen(function* () {
        const { from, server } = yield* behindProxy
        const company = yield* companyOn(server)
        const session = yield* company.newSession()
        const address = "203.0.113.3"
        const guess = (route: ContractRoute) => {
          const { options, path } = requestFor(route, session.id, newToken("kyc_sess_"))
          return from(address, route.method, path, options)
        }
        for (const route of sessionRoutes) {
          const { answer } = yield* untilThrottled(
            () => guess(route),
            ({ status }) => expect(status).toBe(404)
          )
          expectThrottled(answer, 1, errorOf(route, "Too many requests"))
          expect(answer.headers.get("access-control-allow-origin")).toBe("*")
          expect((yield* from(address, "GET", `${session.path}?token=${session.token}`)).status).toBe(200)
        }
      }),
    60_000
  )

  it.scopedLive(
    "what is wrong with a good session is no guess: a state, a field, a time",
    () =>
      Effect.gen(function* () {
        const { from, server } = yield* behindProxy
        const company = yield* companyOn(server)
        const [finished, expired] = [yield* company.newSession(), yield* company.expiredSession()]
        yield* company.complete(finished)
        const statuses = new Set<number>()
        for (let i = 0; i < 60; i++) {
          for (const { path, token } of [finished, expired]) {
            const answer = yield* from("203.0.113.5", "POST", `${path}/progress`, { json: { token } })
            statuses.add(answer.status)
          }
          statuses.add((yield* from("203.0.113.5", "GET", finished.path)).status)
        }
        expect([...statuses].sort()).toStrictEqual([400, 409, 410])
      }),
    60_000
  )
})

describe("invitations that are made up: 100 in a row, then one a second", () => {
  it.scopedLive(
    "opened or accepted",
    () =>
      Effect.gen(function* () {
        const { from, server } = yield* behindProxy
        const { member } = yield* companyOn(server)
        const invited = yield* send(server, "POST", "/api/invitations", {
          headers: { cookie: member.cookie },
          json: { email: "new@example.com", role: "member" }
        })
        const token = text(invited.body, "url").split("#token=")[1] ?? ""
        const ask = (address: string, token: string, i = 0) =>
          from(address, "POST", i % 2 === 0 ? "/api/auth/invitation" : "/api/auth/invitation/accept", {
            json: { token, password: "correct horse battery staple" }
          })
        const address = "203.0.113.1"
        const started = performance.now()
        const { answer, before } = yield* untilThrottled(
          (i) => ask(address, newToken("dli_"), i),
          (answer) =>
            expect([answer.status, answer.body]).toStrictEqual([404, { error: "Invitation not found" }])
        )
        expectThrottled(answer, 1)
        expect(before).toBeGreaterThanOrEqual(100)
        expect(before).toBeLessThanOrEqual(101 + (performance.now() - started) / 1000)
        // Who is really invited gets in behind the same address.
        expect((yield* ask(address, token)).status).toBe(200)
        expect((yield* ask("203.0.113.2", token)).status).toBe(200)
      }),
    60_000
  )
})

describe("what costs work, whether it is good or not", () => {
  it.scopedLive(
    "sign-up: 60 in a row, then one in 12 s; refused ones make nothing",
    () =>
      Effect.gen(function* () {
        const { from, server } = yield* behindProxy
        const signup = (address: string, i: number) =>
          from(address, "POST", "/api/auth/signup", {
            json: {
              companyName: "Acme",
              email: `u${i}@example.com`,
              password: "correct horse battery staple"
            }
          })
        const address = "203.0.113.1"
        const started = performance.now()
        const { answer, before } = yield* untilThrottled(
          // Every other one is of an email that has an account.
          (i) => signup(address, i - (i % 2)),
          ({ status }) => expect([201, 409]).toContain(status)
        )
        expectThrottled(answer, 12)
        expect(answer.headers.getSetCookie()).toStrictEqual([])
        expect(before).toBeGreaterThanOrEqual(60)
        expect(before).toBeLessThanOrEqual(61 + (performance.now() - started) / 12_000)
        const [made] = yield* execute(server.databaseUrl, "select count(*)::int as companies from companies")
        expect(made?.companies).toBe(Math.ceil(before / 2))
        expect((yield* signup("203.0.113.2", 1000)).status).toBe(201)
        for (let i = 2000; i < 2070; i++) expect((yield* signup("127.0.0.1", i)).status).toBe(201)
      }),
    120_000
  )

  it.scopedLive(
    "test sessions of the dashboard: 60 in a row, then one in 6 s",
    () =>
      Effect.gen(function* () {
        const { from, server } = yield* behindProxy
        const { instance, member } = yield* companyOn(server)
        const create = (address: string) =>
          from(address, "POST", `/api/kyc/instances/${instance.id}/test-session`, {
            headers: { cookie: member.cookie },
            json: {}
          })
        const started = performance.now()
        const { answer, before } = yield* untilThrottled(
          () => create("203.0.113.1"),
          ({ status }) => expect(status).toBe(201)
        )
        expectThrottled(answer, 6)
        expect(before).toBeGreaterThanOrEqual(60)
        expect(before).toBeLessThanOrEqual(61 + (performance.now() - started) / 6_000)
        expect((yield* create("203.0.113.2")).status).toBe(201)
      }),
    60_000
  )

  it.scopedLive(
    "captcha challenges: 300 in a row, then five a second",
    () =>
      Effect.gen(function* () {
        const { from } = yield* behindProxy
        const ask = (address: string) =>
          from(address, "GET", `/api/kyc/captcha/challenge?siteKey=x&sessionId=${crypto.randomUUID()}`)
        const started = performance.now()
        const { answer, before } = yield* untilThrottled(
          () => ask("203.0.113.1"),
          ({ status }) => expect(status).toBe(200)
        )
        expectThrottled(answer, 1)
        expect(before).toBeGreaterThanOrEqual(300)
        expect(before).toBeLessThanOrEqual(301 + (performance.now() - started) / 200)
        expect((yield* ask("203.0.113.2")).status).toBe(200)
      }),
    60_000
  )
})
