/** The headers that every answer carries. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, send } from "../support/client.ts"
import { onEach, pathOf, routes } from "../support/contract.ts"
import { credentialHeaders, TestCompany } from "../support/credentials.ts"
import { securityHeaders as always } from "../support/http/security-headers.ts"
import { startServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

const carriesThem = ({ headers }: Answer, expected: Readonly<Record<string, string>> = always) => {
  expect(Object.fromEntries(Object.keys(always).map((name) => [name, headers.get(name)]))).toEqual(expected)
  for (const telling of ["server", "x-powered-by"]) expect(headers.has(telling)).toBe(false)
}

suite(TestCompany.layer)("security headers", (it) => {
  it.effect("of every route: on refused and accepted requests", () =>
    onEach(routes, (route) =>
      Effect.gen(function* () {
        const company = yield* TestCompany
        const { server } = company
        const path = pathOf(route)
        const answers = [
          yield* send(server, route.method, path),
          yield* send(server, "DELETE", path),
          yield* send(server, "OPTIONS", path)
        ]
        if (!route.pattern.endsWith("/logout")) {
          answers.push(
            yield* send(server, route.method, path, { headers: credentialHeaders(company, route) })
          )
        }
        for (const answer of answers) {
          // A response with an ETag may be cached and revalidated.
          carriesThem(
            answer,
            answer.headers.has("etag") ? { ...always, "cache-control": "no-cache" } : always
          )
          expect(answer.headers.has("strict-transport-security")).toBe(false)
        }
      })
    )
  )

  it.effect("on unknown paths too", () =>
    Effect.gen(function* () {
      const { server } = yield* TestCompany
      carriesThem(yield* send(server, "GET", "/nope"))
    })
  )
})

it.scopedLive("BASE_URL with https: strict transport, and cookies for https only", () =>
  Effect.gen(function* () {
    const server = yield* startServer({ BASE_URL: "https://doorlock.test" })
    for (const path of ["/healthz", "/nope", "/api/auth/me"]) {
      const answer = yield* send(server, "GET", path)
      expect(answer.headers.get("strict-transport-security")).toBe("max-age=31536000")
      carriesThem(answer)
    }
    const signup = yield* send(server, "POST", "/api/auth/signup", {
      json: { companyName: "Acme", email: "a@example.com", password: "correct horse battery" }
    })
    expect(signup.headers.getSetCookie()).toStrictEqual([
      expect.stringMatching(
        /^dashboard_session=dls_\w+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/
      ),
      expect.stringMatching(
        /^dashboard_device=[\w.-]+; Max-Age=\d+; Path=\/api\/auth; HttpOnly; Secure; SameSite=Strict$/
      )
    ])
  })
)
