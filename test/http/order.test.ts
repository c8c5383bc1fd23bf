/** contract.md#order-of-checks: credential, then body, then the resource, then its state. */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, onboard, send } from "../support/client.ts"
import { errorOf, pathOf, routes } from "../support/contract.ts"
import { anyBody, credentialHeaders, TestCompany } from "../support/credentials.ts"
import { suite } from "../support/suite.ts"

const unauthorized = { dashboard: "Unauthorized", key: "Invalid API key", none: "" } as const

const wrongCredentials = {
  dashboard: [{}, { cookie: "dashboard_session=x" }, { authorization: "Bearer dls_x" }],
  key: [{}, { "x-api-key": "dlk_x" }, { authorization: "Bearer x" }],
  none: []
} as const

const badBodies: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, string]> = [
  ["malformed", {}, "{"],
  ["not JSON", { "content-type": "text/plain" }, "x"],
  ["too large", {}, " ".repeat(1_048_577)],
  ["without the fields", {}, "{}"]
]

suite(TestCompany.layer)("order of checks", (it) => {
  for (const route of routes.filter(({ credential }) => credential !== "none")) {
    // Routes that take a key or a dashboard session answer for the one that was sent.
    const refusals = [unauthorized[route.credential], "Unauthorized"].map((text) => errorOf(route, text))
    describe(route.name, () => {
      for (const credential of wrongCredentials[route.credential]) {
        const how = Object.entries(credential).flat().join(" ") || "no credential"
        if (!route.takesBody) {
          it.effect(`${how}: 401`, () =>
            Effect.gen(function* () {
              const { server } = yield* TestCompany
              const answer = yield* send(server, route.method, pathOf(route), { headers: credential })
              expect(answer.status).toBe(401)
              expect(refusals).toContainEqual(answer.body)
            })
          )
          continue
        }
        for (const [name, headers, body] of badBodies) {
          it.effect(`${how} and a body ${name}: 401`, () =>
            Effect.gen(function* () {
              const { server } = yield* TestCompany
              const answer = yield* send(server, route.method, pathOf(route), {
                headers: { ...credential, ...headers },
                body: Buffer.from(body)
              })
              expect(answer.status).toBe(401)
              expect(refusals).toContainEqual(answer.body)
            })
          )
        }
      }
    })
  }

  for (const route of routes.filter(({ pattern, takesBody }) => takesBody && pattern.includes(":"))) {
    it.effect(`${route.name}: a bad body of an unknown resource: 400`, () =>
      Effect.gen(function* () {
        const company = yield* TestCompany
        const answer = yield* send(company.server, route.method, pathOf(route), {
          headers: credentialHeaders(company, route),
          body: Buffer.from("[]")
        })
        expect(answer.status).toBe(400)
        expect(answer.body).toEqual(errorOf(route, "Request body must be a JSON object"))
      })
    )
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
