/** contract.md#scope-match: every route that takes a key refuses one without its scope. `keys/model` has all ways in which a scope may fit. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { knownScopes } from "../../src/keys/scopes-model.ts"
import { createKey, send } from "../support/client.ts"
import { errorOf, onEach, pathOf, routes } from "../support/contract.ts"
import { anyBody, TestCompany } from "../support/credentials.ts"
import { suite } from "../support/suite.ts"

/** The scope that a route documents. */
const scopeOf = ({ failures }: (typeof routes)[number]) =>
  failures.flatMap(
    ({ message }) => /^API key does not have the scope ([\w:]+)$/.exec(message)?.slice(1) ?? []
  )[0]

const scoped = routes.filter((route) => scopeOf(route) !== undefined)

suite(TestCompany.layer)("key scopes", (it) => {
  it.effect("a key with every other scope: 403, with the scope's name", () =>
    Effect.gen(function* () {
      const { member, server } = yield* TestCompany
      yield* onEach(scoped, (route) =>
        Effect.gen(function* () {
          const scope = scopeOf(route) ?? ""
          const key = yield* createKey(server, member, {
            scopes: Object.keys(knownScopes).filter((other) => other !== scope)
          })
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
      expect(scoped.length).toBeGreaterThan(20)
    })
  )
})
