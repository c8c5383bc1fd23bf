/** Config and workflow as the routes take them in, and the JSON Schemas that are served. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, send, text } from "../../support/client.ts"
import { badSense, badShape, good, kindOf } from "../../support/kyc/instance-documents.ts"
import { Partner, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { suite } from "../../support/suite.ts"

const path = "/api/kyc/instances"

const title = (json: string) => json.replaceAll(/\s+/g, " ").slice(0, 100)

/** JSON of more than 256 KiB, with nothing else wrong. */
const large = JSON.stringify({ note: "ü".repeat(131_072) })

const save = (method: "POST" | "PATCH", kind: "config" | "workflow", json: string) =>
  Effect.flatMap(Partner, ({ instance, member, server }) =>
    send(server, method, method === "POST" ? path : `${path}/${instance.id}`, {
      headers: { cookie: member.cookie, "content-type": "application/json" },
      body: `{"name":"n",${JSON.stringify(kind)}:${json}}`
    })
  )

suite(Partner.layer)("Config and workflow of an instance (contract.md#instances)", (it) => {
  for (const [json, sentence] of [
    ...badSense.slice(0, 1),
    ...badShape.filter(([, message]) => kindOf(message) === "workflow").slice(0, 1),
    [large, "config is too large"],
    [large, "workflow is too large"]
  ] as const) {
    const kind = kindOf(sentence)
    it.effect(`POST, PATCH 400 ${sentence}: ${kind} ${title(json)}`, () =>
      Effect.gen(function* () {
        for (const method of ["POST", "PATCH"] as const) {
          expect(statusAndBody(yield* save(method, kind, json))).toStrictEqual(refusal(400, sentence))
        }
      })
    )
  }

  it.effect("201, 200, stored unchanged", () =>
    Effect.gen(function* () {
      for (const [kind, json] of good) {
        for (const [method, status] of [
          ["POST", 201],
          ["PATCH", 200]
        ] as const) {
          const answer = yield* save(method, kind, json)
          expect([json, answer.status]).toEqual([json, status])
          expect(field(answer.body, "instance", kind)).toStrictEqual(JSON.parse(json))
        }
      }
    })
  )

  for (const name of ["config", "workflow"]) {
    it.effect(`GET /schemas/kyc-${name}.json: a JSON Schema with an ETag`, () =>
      Effect.gen(function* () {
        const { server } = yield* Partner
        const address = `/schemas/kyc-${name}.json`
        const answer = yield* send(server, "GET", address)
        expect(answer.status).toBe(200)
        expect(answer.headers.get("content-type")).toBe("application/json")
        expect(answer.body).toMatchObject({
          $schema: "https://json-schema.org/draft/2020-12/schema",
          $id: expect.stringMatching(new RegExp(`^https?://.+${address}$`)),
          type: "object"
        })
        expect(text(answer.body, "title")).toMatch(/KYC instance$/)
        const again = yield* send(server, "GET", address, {
          headers: { "if-none-match": answer.headers.get("etag") ?? "" }
        })
        expect([again.status, again.text]).toStrictEqual([304, ""])
        expect(statusAndBody(yield* send(server, "POST", address))).toStrictEqual(
          refusal(405, "Method not allowed")
        )
      })
    )
  }
})
