/** contract.md#ids: an id that is not a UUID is the same 404 as an unknown id; on every route with one. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { type ContractRoute, named, onEach, pathOf, routes } from "../support/contract.ts"
import { anyBody, credentialLines, TestCompany } from "../support/credentials.ts"
import { exchange } from "../support/http/raw.ts"
import { suite } from "../support/suite.ts"

const [word, almost, zero] = ["x", "0197a0de-0000-7000-8000-00000000000g", "%00"]

const odd: ReadonlyArray<readonly [string, string]> = [
  ["a word", word],
  // Twice in one path that is all a request line may have.
  ["7,000 letters", "a".repeat(7_000)],
  ["%zz", "%zz"],
  ["invalid UTF-8", "%ff"],
  ["U+0000", zero],
  ["an encoded slash", "a%2Fb"],
  ["an encoded way up", "%2e%2e%2f%2e%2e%2fhealthz"],
  ["a UUID without hyphens", "0197a0de000070008000000000000000"],
  ["a UUID with a letter too many", almost],
  ["SQL", "'%20or%201=1--"],
  ["the nil UUID", "00000000-0000-0000-0000-000000000000"]
]

suite(TestCompany.layer)("ids", (it) => {
  const areLikeUnknown = (route: ContractRoute, ids: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const company = yield* TestCompany
      const { token } = company.session
      const body = JSON.stringify(anyBody(token))
      const ask = (path: string) =>
        Effect.map(
          exchange(
            company.server,
            `${route.method} ${path}?token=${token}`,
            [
              "X-Request-Id: id-test",
              ...credentialLines(company, route),
              ...(route.takesBody ? [`Content-Length: ${Buffer.byteLength(body)}`] : [])
            ],
            route.takesBody ? body : ""
          ),
          (answer) => ({
            ...answer,
            headers: new Map([...answer.headers].filter(([header]) => header !== "date"))
          })
        )
      const unknown = yield* ask(pathOf(route))
      expect(unknown.status).toBe(404)
      expect(unknown.body).toMatch(/^\{("ok":false,)?"error":"[A-Za-z ]+ not found"\}$/)
      for (const id of ids) expect(yield* ask(pathOf(route, id))).toEqual(unknown)
    })

  it.effect("what is not a UUID is like an unknown id on every route", () =>
    onEach(
      routes.filter(({ pattern }) => pattern.includes(":")),
      (route) => areLikeUnknown(route, [word, almost, zero])
    )
  )

  for (const [name, id] of odd) {
    it.effect(`${name}: like an unknown id`, () =>
      areLikeUnknown(named("GET /api/kyc/sessions/:id/files/:fileId"), [id])
    )
  }

  it.effect("an id in upper case is the same id", () =>
    Effect.gen(function* () {
      const { server, session } = yield* TestCompany
      const answer = yield* exchange(
        server,
        `GET /api/kyc/public/sessions/${session.id.toUpperCase()}?token=${session.token}`
      )
      expect(answer.status).toBe(200)
    })
  )
})
