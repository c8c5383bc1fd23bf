/** contract.md#scope-match: every route that takes a key refuses one without its scope. `keys/model` has all ways in which a scope may fit. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { knownScopes } from "../../src/keys/scopes-model.ts"
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
})
