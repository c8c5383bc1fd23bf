/** CORS: what is anybody's, and the session-token routes, for scripts of any origin, without credentials; no other route. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { expire, onboard, send } from "../support/client.ts"
import { type ContractRoute, errorOf, onEach, pathOf, routes, routesByPath } from "../support/contract.ts"
import { credentialHeaders, TestCompany } from "../support/credentials.ts"
import { suite } from "../support/suite.ts"

const open = [
  "GET /api/kyc/public/sessions/:sessionId",
  "POST /api/kyc/public/sessions/:sessionId/captcha/verify",
  "POST /api/kyc/public/sessions/:sessionId/complete",
  "POST /api/kyc/public/sessions/:sessionId/dedup-check",
  "POST /api/kyc/public/sessions/:sessionId/files",
  "POST /api/kyc/public/sessions/:sessionId/files/:fileId/reading",
  "GET /api/kyc/public/sessions/:sessionId/files/:fileId/reading",
  "POST /api/kyc/public/sessions/:sessionId/handoffs",
  "GET /api/kyc/public/sessions/:sessionId/handoffs/:handoffId",
  "POST /api/kyc/public/sessions/:sessionId/handoffs/:handoffId/cancel",
  "POST /api/kyc/public/sessions/:sessionId/handoff-links/inspect",
  "POST /api/kyc/public/sessions/:sessionId/handoff-links/claim",
  "POST /api/kyc/public/sessions/:sessionId/handoff-links/confirm",
  "POST /api/kyc/public/sessions/:sessionId/progress",
  "POST /api/kyc/public/sessions/:sessionId/receipt",
  "GET /.well-known/doorlock-receipts.json",
  "GET /api/kyc/captcha/challenge",
  "POST /api/kyc/captcha/redeem",
  "GET /api/api-marketplace/apis",
  "GET /api/api-marketplace/apis/:apiId",
  "GET /api/api-marketplace/openapi.json",
  "GET /api/api-marketplace/apis/:apiId/openapi.json"
]

const origin = { origin: "https://shop.example" }

const corsHeaders = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-")))

const anyOrigin = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "doorlock-error, retry-after, x-request-id"
}

suite(TestCompany.layer)("CORS", (it) => {
  it("is open for exactly these routes", () => {
    expect(
      routes.flatMap((route) => (route.metadata?.anyOrigin === true ? [route.name] : [])).sort()
    ).toEqual([...open].sort())
  })

  const ask = (route: ContractRoute, method: string, headers: Record<string, string>, body?: string) =>
    Effect.gen(function* () {
      const { server } = yield* TestCompany
      return yield* send(server, method, pathOf(route), {
        headers: { ...origin, ...headers },
        ...(body !== undefined && route.takesBody ? { body: Buffer.from(body) } : {})
      })
    })

  /** Of the path: another method of it may be open. */
  const openMethods = ({ pattern }: ContractRoute) =>
    (routesByPath.get(pattern) ?? []).flatMap(({ method, name }) => (open.includes(name) ? [method] : []))

  it.effect("preflight: 204 where a method of the path is open, otherwise 405 without CORS", () =>
    onEach(routes, (route) =>
      Effect.gen(function* () {
        const { headers, status, text } = yield* ask(route, "OPTIONS", {
          "access-control-request-method": route.method,
          "access-control-request-headers": "content-type,x-request-id"
        })
        const methods = openMethods(route)
        expect([status, text, corsHeaders(headers)]).toEqual(
          methods.length === 0
            ? [405, JSON.stringify(errorOf(route, "Method not allowed")), {}]
            : [
                204,
                "",
                {
                  ...anyOrigin,
                  "access-control-allow-methods": methods.toSorted().join(", "),
                  "access-control-allow-headers": "authorization, content-type, x-request-id",
                  "access-control-max-age": "86400"
                }
              ]
        )
      })
    )
  )

  it.effect("of every route, its answers: any origin where it is open, otherwise none", () =>
    onEach(routes, (route) =>
      Effect.gen(function* () {
        const company = yield* TestCompany
        // What no method of the path is for is answered by the path.
        const unrouted = yield* ask(route, "DELETE", {})
        expect(corsHeaders(unrouted.headers)).toEqual(openMethods(route).length > 0 ? anyOrigin : {})
        // Not the shared company's own cookie: one of the routes ends its session.
        const headers = route.credential === "key" ? credentialHeaders(company, route) : {}
        const answers = [
          yield* ask(route, route.method, {}, "{}"),
          yield* ask(route, route.method, headers, "["),
          yield* ask(route, route.method, { "content-type": "text/plain" }, "x")
        ]
        const expected = open.includes(route.name) ? anyOrigin : {}
        for (const { headers, status } of answers) {
          expect([status, corsHeaders(headers)]).toEqual([status, expected])
        }
      })
    )
  )

  it.effect("200, 409, 410 and 413: any origin", () =>
    Effect.gen(function* () {
      const { server } = yield* TestCompany
      const { session } = yield* onboard(server)
      const read = send(server, "GET", `${session.path}?token=${session.token}`, { headers: origin })
      const post = (action: string) =>
        send(server, "POST", `${session.path}/${action}`, { headers: origin, json: { token: session.token } })
      const answers = [yield* read, yield* post("complete"), yield* post("progress")]
      yield* expire(server, session.id).pipe(Effect.orDie)
      answers.push(yield* read)
      answers.push(
        yield* send(server, "POST", `${session.path}/progress`, {
          headers: origin,
          body: Buffer.from(" ".repeat(1_048_577))
        })
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 409, 410, 413])
      for (const answer of answers) expect(corsHeaders(answer.headers)).toEqual(anyOrigin)
    })
  )
})
