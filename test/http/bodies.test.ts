/** contract.md#json-bodies: malformed JSON, JSON that is no object, absent bodies, unknown fields; on every route. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { onboard, send } from "../support/client.ts"
import { type ContractRoute, errorOf, named, onEach, pathOf, routes } from "../support/contract.ts"
import { credentialHeaders, TestCompany } from "../support/credentials.ts"
import { mustRefuseMessage } from "../support/mcp.ts"
import { suite } from "../support/suite.ts"

const refused: ReadonlyArray<readonly [string, string | Uint8Array]> = [
  ["an unfinished object", "{"],
  ["nothing but a space", " "],
  ["an array", "[]"],
  ["a string", '"x"'],
  ["null", "null"],
  ["100,000 open brackets", "[".repeat(100_000)],
  ["invalid UTF-8", Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ["UTF-16", Buffer.from('\ufeff{"name":"x"}', "utf16le")]
]

const odd = {
  unknown: 1,
  ok: true,
  constructor: { prototype: null },
  toString: "x",
  "": [],
  "\u0000": "\u0000",
  ключ: "🔑"
}

const withBody = routes.filter(({ takesBody }) => takesBody)

suite(TestCompany.layer)("request bodies", (it) => {
  const refuses = (route: ContractRoute, body: string | Uint8Array) =>
    Effect.gen(function* () {
      const company = yield* TestCompany
      const answer = yield* send(company.server, route.method, pathOf(route), {
        headers: { ...credentialHeaders(company, route), "content-type": "application/json" },
        body: Buffer.from(body)
      })
      expect([answer.status, answer.body]).toEqual([
        400,
        errorOf(route, "Request body must be a JSON object")
      ])
      expect(answer.headers.get("content-type")).toBe("application/json")
    })

  it.effect("what is no JSON, or no object: 400 on every route, before an unknown id", () =>
    onEach(withBody, (route) => Effect.zipRight(refuses(route, "{"), refuses(route, "[]")))
  )

  for (const [name, body] of refused) {
    it.effect(`${name}: 400 Request body must be a JSON object`, () =>
      refuses(named("POST /api/api-keys"), body)
    )
  }

  const areTheSame = (route: ContractRoute, bodies: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      // Otherwise the request may do something: one of these routes ends the session of its caller.
      const mustRefuse = route.body === "required" || route.pattern.includes(":")
      const { server, ...shared } = yield* TestCompany
      const path = pathOf(route)
      const answer = (body?: string) =>
        Effect.gen(function* () {
          const { status, text } = yield* send(server, route.method, path, {
            headers: credentialHeaders(mustRefuse ? shared : yield* onboard(server), route),
            ...(body === undefined ? {} : { body: Buffer.from(body) })
          })
          return { status, text }
        })
      const first = yield* answer()
      expect(first.status).toBeLessThan(500)
      if (mustRefuse) expect(first.status).toBeGreaterThanOrEqual(400)
      // The route refuses `{}` for a missing field, with its own message.
      if (first.status === 400 && route.name === "POST /mcp") mustRefuseMessage(first.text)
      else if (first.status === 400) {
        const messages = route.metadata.rejects.map((message) => JSON.stringify(errorOf(route, message)))
        expect(messages).toContain(first.text)
      }
      for (const body of bodies) expect([body, yield* answer(body)]).toEqual([body, first])
    })

  it.effect("absent, {}, and unknown fields: the same response on every route", () =>
    onEach(withBody, (route) =>
      areTheSame(route, ["{}", JSON.stringify(odd), '{"__proto__":{"name":"x","token":"x"}}'])
    )
  )

  for (const body of ["", " \r\n\t{ } ", "\ufeff{}"]) {
    it.effect(`absent, and ${JSON.stringify(body)}: the same response`, () =>
      areTheSame(named("POST /api/api-keys"), [body])
    )
  }
})
