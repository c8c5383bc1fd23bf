/** contract.md#protective-limits on public routes: per address, loopback exempt. */
import { describe, expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { newToken } from "../../src/secrets/token.ts"
import { type Answer, type SendOptions, send, text } from "../support/client.ts"
import { type ContractRoute, errorOf, pathOf, routes } from "../support/contract.ts"
import { anyBody } from "../support/credentials.ts"
import { companyOn } from "../support/kyc/partner.ts"
import { execute } from "../support/postgres.ts"
import { type RunningServer, startServer } from "../support/server.ts"
import { stoppedClock } from "../support/stopped-clock.ts"
import { suite } from "../support/suite.ts"

/** A server that trusts the address each test sends, with a clock that only the tests move. */
class Behind extends Context.Tag("Behind")<
  Behind,
  {
    readonly server: RunningServer
    readonly from: (
      address: string,
      method: string,
      path: string,
      options?: SendOptions
    ) => Effect.Effect<Answer>
  }
>() {
  static readonly layer = Layer.scoped(
    Behind,
    Effect.gen(function* () {
      const server = yield* stoppedClock().by(startServer({ TRUSTED_PROXIES: "127.0.0.1" }))
      return {
        server,
        from: (address: string, method: string, path: string, options: SendOptions = {}) =>
          send(server, method, path, {
            ...options,
            headers: { "x-forwarded-for": address, ...options.headers }
          })
      }
    }).pipe(Effect.orDie)
  )
}

/** @param seconds the expected `Retry-After` */
const expectThrottled = (
  { body, headers, status }: Answer,
  seconds: number,
  expected: unknown = { error: "Too many requests" }
) =>
  expect({ status, body, wait: headers.get("retry-after") }).toStrictEqual({
    status: 429,
    body: expected,
    wait: String(seconds)
  })

/** The responses to this many requests, sent partly in parallel. */
const many = <A, R>(times: number, ask: (i: number) => Effect.Effect<A, never, R>) =>
  Effect.forEach(
    Array.from({ length: times }, (_, i) => i),
    ask,
    { concurrency: 20 }
  )

/**
 * Expects a burst, and of the next request how long it has to wait for its turn; `limits/failure-budget` has how budgets
 * refill. Returns the responses other than 429.
 *
 * @param throttled checks the 429 responses
 */
const expectBucket = <R>(
  burst: number,
  each: number,
  ask: (i: number) => Effect.Effect<Answer, never, R>,
  throttled: (answer: Answer, seconds: number, i: number) => void = (answer, seconds) =>
    expectThrottled(answer, seconds)
) =>
  Effect.gen(function* () {
    const passed: Array<Answer> = []
    yield* many(burst + 5, (i) =>
      Effect.map(ask(i), (answer) => {
        if (answer.status === 429) throttled(answer, Math.ceil(each / 1_000), i)
        else passed.push(answer)
      })
    )
    expect(passed).toHaveLength(burst)
    return passed
  })

const sessionRoutes = routes.filter(({ pattern }) =>
  pattern.startsWith("/api/kyc/public/sessions/:sessionId")
)

/** The session routes in turn. */
const routeOf = (i: number): ContractRoute => {
  const route = sessionRoutes[i % sessionRoutes.length]
  if (route === undefined) throw new Error("There is no route")
  return route
}

const isUpload = ({ pattern }: ContractRoute) => pattern.endsWith("/files")

/** A request to a session's route, with the token in every place that the route reads. */
const requestFor = (route: ContractRoute, id: string, token: string) => {
  const path = pathOf(route, id)
  if (route.method === "GET") return { path: `${path}?token=${token}`, options: {} }
  return isUpload(route)
    ? { path, options: { headers: { authorization: `Bearer ${token}` }, body: Buffer.from("x") } }
    : { path, options: { json: { ...anyBody(token), secret: token.replace("kyc_sess_", "kyc_hand_") } } }
}

suite(Behind.layer)("on the public routes", (it) => {
  describe("made-up session tokens: 100 in a row, then one a second", () => {
    const guess = (address: string, route: ContractRoute, id: string) =>
      Effect.flatMap(Behind, ({ from }) => {
        const { options, path } = requestFor(route, id, newToken("kyc_sess_"))
        return from(address, route.method, path, options)
      })

    it.effect("all routes count together", () =>
      Effect.gen(function* () {
        expect(sessionRoutes.length).toBeGreaterThan(8)
        const { from } = yield* Behind
        const passed = yield* expectBucket(
          100,
          1_000,
          (i) => guess("203.0.113.1", routeOf(i), crypto.randomUUID()),
          (answer, seconds, i) => expectThrottled(answer, seconds, errorOf(routeOf(i), "Too many requests"))
        )
        expect(new Set(passed.map(({ status }) => status))).toStrictEqual(new Set([404]))

        // Other addresses are not held up.
        const path = () => `/api/kyc/public/sessions/x?token=${newToken("kyc_sess_")}`
        for (const other of ["203.0.113.2", "2001:db8::1"]) {
          expect((yield* from(other, "GET", path())).status).toBe(404)
        }
      })
    )

    it.effect(
      "beyond that each route answers 429 in its own form, and other requests from the same address succeed",
      () =>
        Effect.gen(function* () {
          const { from, server } = yield* Behind
          const session = yield* (yield* companyOn(server)).newSession()
          const address = "203.0.113.3"
          const burst = yield* many(100, () => guess(address, routeOf(0), session.id))
          expect(new Set(burst.map(({ status }) => status))).toStrictEqual(new Set([404]))
          yield* many(sessionRoutes.length, (i) =>
            Effect.gen(function* () {
              const answer = yield* guess(address, routeOf(i), session.id)
              expectThrottled(answer, 1, errorOf(routeOf(i), "Too many requests"))
              expect(answer.headers.get("access-control-allow-origin")).toBe("*")
              const good = yield* from(address, "GET", `${session.path}?token=${session.token}`)
              expect(good.status).toBe(200)
            })
          )
        })
    )

    it.effect("an error with a valid token is not a guess: a status, a field, an expiry", () =>
      Effect.gen(function* () {
        const { from, server } = yield* Behind
        const company = yield* companyOn(server)
        const [finished, expired] = [yield* company.newSession(), yield* company.expiredSession()]
        yield* company.complete(finished)
        const address = "203.0.113.5"
        const answers = yield* Effect.all(
          [
            ...[finished, expired].map(({ path, token }) =>
              many(60, () => from(address, "POST", `${path}/progress`, { json: { token } }))
            ),
            many(60, () => from(address, "GET", finished.path))
          ],
          { concurrency: "unbounded" }
        )
        expect(answers.map((each) => [...new Set(each.map(({ status }) => status))])).toStrictEqual([
          [409],
          [410],
          [400]
        ])
      })
    )
  })

  describe("made-up invitations: 100 in a row, then one a second", () => {
    it.effect("opened or accepted", () =>
      Effect.gen(function* () {
        const { from, server } = yield* Behind
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
        const address = "203.0.113.11"
        const refused = yield* expectBucket(100, 1_000, (i) => ask(address, newToken("dli_"), i))
        for (const { body, status } of refused) {
          expect([status, body]).toStrictEqual([404, { error: "Invitation not found" }])
        }
        // A real invitation still works behind the same address.
        expect((yield* ask(address, token)).status).toBe(200)
        expect((yield* ask("203.0.113.12", token)).status).toBe(200)
      })
    )
  })

  describe("requests that cost work, valid or not", () => {
    it.effect("sign-up: 60 in a row, then one in 12 s; refused ones create nothing", () =>
      Effect.gen(function* () {
        const { from, server } = yield* Behind
        const companyName = `Acme ${crypto.randomUUID()}`
        const signup = (address: string, i: number) =>
          from(address, "POST", "/api/auth/signup", {
            json: { companyName, email: `u${i}@example.com`, password: "correct horse battery staple" }
          })
        const address = "203.0.113.21"
        const passed = yield* expectBucket(
          60,
          12_000,
          // Every other request repeats an email address that has an account.
          (i) => signup(address, i - (i % 2)),
          (answer, seconds) => {
            expectThrottled(answer, seconds)
            expect(answer.headers.getSetCookie()).toStrictEqual([])
          }
        )
        expect(new Set(passed.map(({ status }) => status))).toStrictEqual(new Set([201, 409]))
        const [made] = yield* execute(
          server.databaseUrl,
          "select count(*)::int as companies from companies where name = $1",
          [companyName]
        )
        expect(made?.companies).toBe(passed.filter(({ status }) => status === 201).length)
        expect((yield* signup("203.0.113.22", 1000)).status).toBe(201)
      })
    )

    it.effect("sign-up in a network: 240 in a row, then one in 3 s", () =>
      Effect.gen(function* () {
        const { from } = yield* Behind
        const signup = (address: string) =>
          from(address, "POST", "/api/auth/signup", {
            json: {
              companyName: "Acme",
              email: "network@example.com",
              password: "correct horse battery staple"
            }
          })
        const passed = yield* expectBucket(240, 3_000, (i) => signup(`198.51.100.${i % 40}`))
        expect(new Set(passed.map(({ status }) => status))).toStrictEqual(new Set([201, 409]))
        // These addresses are outside that network: a neighbour, and an IPv6 address with a similar prefix.
        for (const address of ["198.51.101.1", "2001:db8:51:100::1"]) {
          expect((yield* signup(address)).status).toBe(409)
        }
      })
    )

    it.effect(
      "test sessions of the dashboard: 60 in a row, then one in 6 s; captcha challenges: 300, then five a second",
      () =>
        Effect.gen(function* () {
          const { from, server } = yield* Behind
          const { instance, member } = yield* companyOn(server)
          const testSession = (address: string) =>
            from(address, "POST", `/api/kyc/instances/${instance.id}/test-session`, {
              headers: { cookie: member.cookie },
              json: {}
            })
          const challenge = (address: string) =>
            from(address, "GET", `/api/kyc/captcha/challenge?siteKey=x&sessionId=${crypto.randomUUID()}`)
          for (const [ask, burst, each, status] of [
            [testSession, 60, 6_000, 201],
            [challenge, 300, 200, 200]
          ] as const) {
            const passed = yield* expectBucket(burst, each, () => ask("203.0.113.31"))
            expect(new Set(passed.map((answer) => answer.status))).toStrictEqual(new Set([status]))
            expect((yield* ask("203.0.113.32")).status).toBe(status)
          }
        })
    )
  })
})
