/** contract.md#json-bodies: malformed JSON, JSON that is no object, absent bodies, unknown fields; on every route. */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { onboard, send } from "../support/client.ts"
import { errorOf, pathOf, routes } from "../support/contract.ts"
import { type Company, credentialHeaders, TestCompany } from "../support/credentials.ts"
import { mustRefuseMessage } from "../support/mcp.ts"
import { suite } from "../support/suite.ts"

const refused: ReadonlyArray<readonly [string, string | Uint8Array]> = [
  ["an unfinished object", "{"],
  ["a trailing comma", '{"name":"x",}'],
  ["single quotes", "{'name':'x'}"],
  ["a comment", '{"name":"x"/**/}'],
  ["NaN", '{"name":NaN}'],
  ["two objects", "{}{}"],
  ["nothing but a space", " "],
  ["a raw line break in a string", '{"name":"a\nb"}'],
  ["an array", "[]"],
  ["an array of objects", '[{"name":"x"}]'],
  ["a string", '"x"'],
  ["a number", "1"],
  ["true", "true"],
  ["null", "null"],
  ["100,000 open brackets", "[".repeat(100_000)],
  ["100,000 open objects", '{"a":'.repeat(100_000)],
  ["invalid UTF-8", Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ["a surrogate in UTF-8", Uint8Array.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
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
  for (const route of withBody) {
    describe(route.name, () => {
      for (const [name, body] of refused) {
        it.effect(`${name}: 400 Request body must be a JSON object`, () =>
          Effect.gen(function* () {
            const company = yield* TestCompany
            const answer = yield* send(company.server, route.method, pathOf(route), {
              headers: { ...credentialHeaders(company, route), "content-type": "application/json" },
              body: Buffer.from(body)
            })
            expect(answer.status).toBe(400)
            expect(answer.body).toEqual(errorOf(route, "Request body must be a JSON object"))
            expect(answer.headers.get("content-type")).toBe("application/json")
          })
        )
      }

      it.effect("absent, {}, {} after a byte order mark, and unknown fields: the same response", () =>
        Effect.gen(function* () {
          const { server } = yield* TestCompany
          const path = pathOf(route)
          const answer = ({ body, company }: { readonly body?: string; readonly company: Company }) =>
            Effect.map(
              send(server, route.method, path, {
                headers: credentialHeaders(company, route),
                ...(body === undefined ? {} : { body: Buffer.from(body) })
              }),
              ({ status, text }) => ({ status, text })
            )
          const company = yield* onboard(server)
          const first = yield* answer({ company })
          // A refused request changes nothing, so one company will do. Otherwise each request gets its own company: one of
          // the routes ends the session of its caller.
          const next = first.status < 400 ? onboard(server) : Effect.succeed(company)
          const answers = yield* Effect.forEach(
            [
              "",
              "{}",
              " \r\n\t{ } ",
              "\ufeff{}",
              JSON.stringify(odd),
              '{"__proto__":{"name":"x","token":"x"}}'
            ],
            (body) => Effect.flatMap(next, (company) => answer({ body, company })),
            { concurrency: 4 }
          )
          expect(first.status).toBeLessThan(500)
          // The route refuses `{}` for a missing field, with its own message.
          if (first.status === 400 && route.name === "POST /mcp") mustRefuseMessage(first.text)
          else if (first.status === 400) {
            expect(
              (route.metadata?.rejects ?? []).map((message) => JSON.stringify(errorOf(route, message)))
            ).toContain(first.text)
          }
          for (const other of answers) expect(other).toEqual(first)
        })
      )
    })
  }
})
