/** contract.md#scope-match: every route that takes a key refuses one without its scope. `keys/model` has all ways in which a scope may fit. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { knownScopes, namedScopes } from "../../src/keys/scopes-model.ts"
import { newToken } from "../../src/secrets/token.ts"
import { createKey, send } from "../support/client.ts"
import { errorOf, onEach, pathOf, routes, scopesOf } from "../support/contract.ts"
import { anyBody, TestCompany } from "../support/credentials.ts"
import { suite } from "../support/suite.ts"

suite(TestCompany.layer)("key scopes", (it) => {
  it.effect("a key with every other scope: 403, with the scope's name", () =>
    Effect.gen(function* () {
      const { member, server } = yield* TestCompany
      expect(routes.filter((route) => scopesOf(route).length > 0).length).toBeGreaterThan(20)
      for (const scope of new Set(routes.flatMap(scopesOf))) {
        const key = yield* createKey(server, member, {
          scopes: Object.keys(knownScopes).filter((other) => other !== scope)
        })
        const itsRoutes = routes.filter((route) => scopesOf(route).includes(scope))
        yield* onEach(itsRoutes, (route) =>
          Effect.gen(function* () {
            const answer = yield* send(server, route.method, pathOf(route), {
              headers: { "x-api-key": key.token },
              ...(route.takesBody ? { json: { ...anyBody("x".repeat(43)), instanceKey: "x" } } : {})
            })
            expect([answer.status, answer.body]).toStrictEqual([
              403,
              errorOf(route, `API key does not have the scope ${scope}`)
            ])
          })
        )
      }
    })
  )

  it.effect("any platform key on a route for users alone: 401 Unauthorized, with the reason", () =>
    Effect.gen(function* () {
      const { member, server } = yield* TestCompany
      const { token } = yield* createKey(server, member)
      const forUsers = routes.filter(
        (route) => route.credential === "dashboard" && scopesOf(route).length === 0
      )
      expect(forUsers.length).toBeGreaterThan(30)
      yield* onEach(forUsers, (route) =>
        Effect.gen(function* () {
          for (const [headers, reason] of [
            [{ "x-api-key": token }, "needs-signed-in-user"],
            [{ authorization: `Bearer ${token}` }, "needs-signed-in-user"],
            [{ "x-api-key": token, cookie: "dashboard_session=x" }, "needs-signed-in-user"],
            [{ cookie: `dashboard_session=${token}` }, null],
            [{}, null]
          ] as const) {
            const answer = yield* send(server, route.method, pathOf(route), { headers })
            expect([answer.status, answer.body, answer.headers.get("doorlock-reason")]).toStrictEqual([
              401,
              errorOf(route, "Unauthorized"),
              reason
            ])
          }
        })
      )
    })
  )

  it.effect("a key that is not valid on a route of a named scope: 401 Unauthorized, with the reason", () =>
    Effect.gen(function* () {
      const { member, server } = yield* TestCompany
      const expired = yield* createKey(server, member, { scopes: [...namedScopes], expiresAt: "2020-01-01" })
      const named = routes.filter((route) => scopesOf(route).some((scope) => namedScopes.has(scope)))
      expect(named.length).toBeGreaterThan(4)
      yield* onEach(named, (route) =>
        Effect.gen(function* () {
          for (const [token, reason] of [
            [expired.token, "key-expired"],
            [newToken("dlk_"), "key-unknown"],
            ["dlk_x", "key-malformed"]
          ] as const) {
            for (const headers of [{ "x-api-key": token }, { authorization: `Bearer ${token}` }]) {
              const answer = yield* send(server, route.method, pathOf(route), { headers })
              expect([answer.status, answer.body, answer.headers.get("doorlock-reason")]).toStrictEqual([
                401,
                errorOf(route, "Unauthorized"),
                reason
              ])
            }
          }
        })
      )
    })
  )
})
