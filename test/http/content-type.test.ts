/** contract.md#json-bodies: every route that takes a body answers 415 to a `Content-Type` that is not JSON. */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "../support/client.ts"
import { errorOf, pathOf, routes } from "../support/contract.ts"
import { credentialHeaders, credentialLines, TestCompany } from "../support/credentials.ts"
import { exchange } from "../support/http/raw.ts"
import { suite } from "../support/suite.ts"

const json = [
  "application/json",
  "application/json; charset=utf-8",
  "application/json;charset=UTF-8",
  "application/json ; profile=x",
  "APPLICATION/JSON",
  "Application/Json; Charset=utf-8",
  "application/problem+json",
  "application/vnd.doorlock.v1+json; charset=utf-8"
]

const other = [
  "text/plain",
  "text/plain;charset=UTF-8",
  "text/plain; x=application/json",
  "text/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/octet-stream",
  "application/xml",
  "application/jsonp",
  "application/x-ndjson",
  "application/json, text/plain",
  "json",
  "garbage",
  "*/*",
  ";"
]

suite(TestCompany.layer)("content types", (it) => {
  for (const route of routes.filter(({ takesBody }) => takesBody)) {
    describe(route.name, () => {
      const answerTo = (headers: Readonly<Record<string, string>>) =>
        Effect.gen(function* () {
          const company = yield* TestCompany
          return yield* send(company.server, route.method, pathOf(route), {
            headers: { ...credentialHeaders(company, route), ...headers },
            // Read as JSON, this is not an object.
            body: Buffer.from("[]")
          })
        })

      it.effect("none: read as JSON", () =>
        Effect.gen(function* () {
          const { body, status } = yield* answerTo({})
          expect(status).toBe(400)
          expect(body).toEqual(errorOf(route, "Request body must be a JSON object"))
        })
      )
      for (const type of json) {
        it.effect(`${type}: read as JSON`, () =>
          Effect.gen(function* () {
            const { body, status } = yield* answerTo({ "content-type": type })
            expect(status).toBe(400)
            expect(body).toEqual(errorOf(route, "Request body must be a JSON object"))
          })
        )
      }
      for (const type of other) {
        it.effect(`${type}: 415 Content-Type must be application/json`, () =>
          Effect.gen(function* () {
            const { body, status } = yield* answerTo({ "content-type": type })
            expect(status).toBe(415)
            expect(body).toEqual(errorOf(route, "Content-Type must be application/json"))
          })
        )
      }
      it.effect("an empty one, or two: 415", () =>
        Effect.gen(function* () {
          const company = yield* TestCompany
          for (const lines of [
            ["Content-Type:"],
            ["Content-Type: application/json", "Content-Type: text/plain"]
          ]) {
            const answer = yield* exchange(
              company.server,
              `${route.method} ${pathOf(route)}`,
              [...credentialLines(company, route), ...lines, "Content-Length: 2"],
              "[]"
            )
            expect(answer.status).toBe(415)
            expect(JSON.parse(answer.body)).toEqual(errorOf(route, "Content-Type must be application/json"))
          }
        })
      )
    })
  }

  it.effect("a request without a body needs no Content-Type", () =>
    Effect.gen(function* () {
      const { server } = yield* TestCompany
      const answer = yield* send(server, "GET", "/healthz", { headers: { "content-type": "text/plain" } })
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ ok: true })
    })
  )
})
