/** contract.md#unknown-fields: fields and parameters that the contract does not know are ignored, and the response names them. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { onboard, send } from "../support/client.ts"
import { named, onEach, pathOf, routes } from "../support/contract.ts"
import { credentialHeaders, TestCompany } from "../support/credentials.ts"
import { suite } from "../support/suite.ts"

const ignoredBy = ({ headers }: { readonly headers: Headers }) => headers.get("doorlock-ignored")

suite(TestCompany.layer)("what the contract does not know", (it) => {
  const create = (json: object, query = "") =>
    Effect.gen(function* () {
      const company = yield* TestCompany
      const { instance } = yield* onboard(company.server)
      const route = named("POST /api/kyc/public/sessions")
      return yield* send(company.server, "POST", `${route.pattern}${query}`, {
        headers: credentialHeaders(company, route),
        json: { instanceKey: instance.publicKey, ...json }
      })
    })

  const listKeys = (query: string) =>
    Effect.flatMap(TestCompany, (company) =>
      send(company.server, "GET", `/api/api-keys?${query}`, {
        headers: credentialHeaders(company, named("GET /api/api-keys"))
      })
    )

  for (const [what, fields, header] of [
    ["nothing", {}, null],
    ["a field in snake_case", { external_reference: "x" }, "external_reference"],
    ["fields within metadata", { metadata: { external_reference: "x" } }, null],
    ["fields of every object", { toString: 1, constructor: 1 }, "toString, constructor"],
    [
      "names that no field could have",
      {
        "": 1,
        "a b": 1,
        "a,b": 1,
        "x\r\nset-cookie: a": 1,
        "\u0000": 1,
        ключ: 1,
        "1a": 1,
        [`z${"z".repeat(64)}`]: 1,
        "x-y.z_1": 1
      },
      "x-y.z_1"
    ],
    [
      "more names than fit",
      Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`u${at}`, 1])),
      "u0, u1, u2, u3, u4, u5, u6, u7, u8, u9"
    ]
  ] as const) {
    it.effect(`in a body, ${what}: doorlock-ignored is ${header}`, () =>
      Effect.gen(function* () {
        const answer = yield* create(fields)
        expect(ignoredBy(answer)).toBe(header)
      })
    )
  }

  it.effect("in a query", () =>
    Effect.gen(function* () {
      for (const [query, header] of [
        ["limit=1", null],
        ["limit=1&page=2&page=3", "page"],
        ["page_size=x&l%0d%0aimit=1&%66oo=1", "page_size, foo"]
      ] as const) {
        const answer = yield* listKeys(query)
        expect([query, answer.status, ignoredBy(answer)]).toEqual([query, 200, header])
      }
      const refused = yield* listKeys("limit=0&offset=3")
      expect([refused.status, ignoredBy(refused)]).toEqual([400, "offset"])
    })
  )

  it.effect("in a query of a route without parameters", () =>
    Effect.gen(function* () {
      const company = yield* TestCompany
      const answer = yield* send(company.server, "GET", "/api/api-keys/stats?expand=all", {
        headers: credentialHeaders(company, named("GET /api/api-keys/stats"))
      })
      expect([answer.status, ignoredBy(answer)]).toEqual([200, "expand"])
    })
  )

  it.effect("in a body on every route that requires fields", () =>
    onEach(
      routes.filter(({ body, takesBody }) => takesBody && body === "required"),
      (route) =>
        Effect.gen(function* () {
          const company = yield* TestCompany
          const answer = yield* send(company.server, route.method, pathOf(route), {
            headers: { ...credentialHeaders(company, route), "idempotency-key": crypto.randomUUID() },
            json: { unknown_field: 1 }
          })
          expect([answer.status, ignoredBy(answer)]).toEqual([400, "unknown_field"])
        })
    )
  )
})
