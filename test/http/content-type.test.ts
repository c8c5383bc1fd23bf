/** contract.md#json-bodies: every route that takes a body answers 415 to a `Content-Type` that is not JSON. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { type ContractRoute, errorOf, named, onEach, pathOf, routes } from "../support/contract.ts"
import { credentialLines, TestCompany } from "../support/credentials.ts"
import { exchange } from "../support/http/raw.ts"
import { suite } from "../support/suite.ts"

const json = [
  "application/json",
  "application/json; charset=utf-8",
  "Application/Json; Charset=utf-8",
  "application/vnd.doorlock.v1+json; charset=utf-8"
]

const other = [
  "text/plain",
  "text/plain; x=application/json",
  "text/json",
  "application/jsonp",
  "application/json, text/plain",
  "*/*",
  ""
]

suite(TestCompany.layer)("content types", (it) => {
  /** Whether the route answers so to the lines about the type of `[]`, which is no object if it is read. */
  const answers = (route: ContractRoute, status: 400 | 415, ...lines: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const company = yield* TestCompany
      const answer = yield* exchange(
        company.server,
        `${route.method} ${pathOf(route)}`,
        [...credentialLines(company, route), ...lines, "Content-Length: 2"],
        "[]"
      )
      const message =
        status === 400 ? "Request body must be a JSON object" : "Content-Type must be application/json"
      expect([answer.status, JSON.parse(answer.body)]).toEqual([status, errorOf(route, message)])
    })

  it.effect("on every route, text/plain: 415 Content-Type must be application/json; none: read as JSON", () =>
    onEach(
      routes.filter(({ takesBody }) => takesBody),
      (route) => Effect.zipRight(answers(route, 415, "Content-Type: text/plain"), answers(route, 400))
    )
  )

  const one = named("POST /api/api-keys")
  for (const type of json)
    it.effect(`${type}: read as JSON`, () => answers(one, 400, `Content-Type: ${type}`))
  for (const type of other)
    it.effect(`${type || "an empty one"}: 415`, () => answers(one, 415, `Content-Type: ${type}`))
  it.effect("two types: 415", () =>
    answers(one, 415, "Content-Type: application/json", "Content-Type: text/plain")
  )
})
