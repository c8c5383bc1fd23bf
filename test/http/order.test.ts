/** contract.md#order-of-checks: credential, then body, then the resource, then its state. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, onboard, send } from "../support/client.ts"
import { type ContractRoute, errorOf, named, onEach, pathOf, routes } from "../support/contract.ts"
import { anyBody, TestCompany } from "../support/credentials.ts"
import { suite } from "../support/suite.ts"

const unauthorized = { dashboard: "Unauthorized", key: "Invalid API key", none: "" } as const

const wrongCredentials = {
  dashboard: [{}, { cookie: "dashboard_session=x" }, { authorization: "Bearer dls_x" }],
  key: [{}, { "x-api-key": "dlk_x" }, { authorization: "Bearer x" }],
  none: []
} as const

const malformed = ["malformed", {}, "{"] as const

const badBodies = [
  malformed,
  ["not JSON", { "content-type": "text/plain" }, "x"],
  ["too large", {}, " ".repeat(1_048_577)],
  ["without the fields", {}, "{}"]
] as const

suite(TestCompany.layer)("order of checks", (it) => {
  const isUnauthorized = (
    route: ContractRoute,
    credential: Readonly<Record<string, string>>,
    [, headers, body]: (typeof badBodies)[number]
  ) =>
    Effect.gen(function* () {
      const { server } = yield* TestCompany
      const answer = yield* send(server, route.method, pathOf(route), {
        headers: { ...credential, ...headers },
        ...(route.takesBody ? { body: Buffer.from(body) } : {})
      })
      expect(answer.status).toBe(401)
      // Routes that take a key or a dashboard session answer for the one that was sent.
      expect(
        [unauthorized[route.credential], "Unauthorized"].map((text) => errorOf(route, text))
      ).toContainEqual(answer.body)
    })

  for (const [kind, one] of [
    ["dashboard", named("POST /api/api-keys")],
    ["key", named("POST /api/webhook-endpoints")]
  ] as const) {
    for (const credential of wrongCredentials[kind]) {
      const how = Object.entries(credential).flat().join(" ") || "no credential"
      it.effect(`${how}: 401 on every route for a ${kind}, before its malformed body`, () =>
        onEach(
          routes.filter((route) => route.credential === kind),
          (route) => isUnauthorized(route, credential, malformed)
        )
      )
      for (const bad of badBodies) {
        it.effect(`${how} and a body ${bad[0]} for ${one.name}: 401`, () =>
          isUnauthorized(one, credential, bad)
        )
      }
    }
  }

  it.effect("on a finished session: the body before the token, the token before the state", () =>
    Effect.gen(function* () {
      const { server } = yield* TestCompany
      const { session } = yield* onboard(server)
      const path = `${session.path}/progress`
      const ask = (json: object) =>
        Effect.map(send(server, "POST", path, { json }), ({ body, status }) => [status, field(body, "error")])
      yield* send(server, "POST", `${session.path}/complete`, { json: { token: session.token } })
      expect(yield* ask({ token: "wrong", status: "wrong" })).toEqual([
        400,
        "status must be one of created, running, failed, cancelled"
      ])
      expect(yield* ask(anyBody("wrong"))).toEqual([404, "Session not found"])
      expect(yield* ask(anyBody(session.token))).toEqual([409, "Session is not updatable"])
    })
  )
})
