import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "../../support/client.ts"
import { Partner, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { suite } from "../../support/suite.ts"

const path = "/api/kyc/instances"

const deep = `${'{"a":['.repeat(5_000)}${"]}".repeat(5_000)}`

/** What both routes refuse alike: the field as it is written, and the message. */
const refused = [
  ['"config":[]', "config must be an object"],
  ['"config":"{}"', "config must be an object"],
  ['"config":7', "config must be an object"],
  ['"config":{"captcha":"k"}', "config.captcha must be an object"],
  ['"config":{"captcha":null}', "config.captcha must be an object"],
  ['"config":{"captcha":{"siteKey":7}}', "config.captcha.siteKey must be a string"],
  ['"config":{"captcha":{"minScore":1.01}}', "config.captcha.minScore must be a number from 0 to 1"],
  ['"config":{"captcha":{"minScore":-0.1}}', "config.captcha.minScore must be a number from 0 to 1"],
  ['"config":{"captcha":{"minScore":"0.5"}}', "config.captcha.minScore must be a number from 0 to 1"],
  ['"config":{"redirect":["https://a.example"]}', "config.redirect must be an object"],
  [
    '"config":{"redirect":{"successUrl":"javascript:alert(1)"}}',
    "config.redirect.successUrl must be an http or https URL"
  ],
  ['"config":{"redirect":{"successUrl":7}}', "config.redirect.successUrl must be an http or https URL"],
  [
    '"config":{"redirect":{"failureUrl":"https://user:pw@a.example"}}',
    "config.redirect.failureUrl must be an http or https URL"
  ],
  ['"workflow":[]', "workflow must be an object"],
  ['"workflow":true', "workflow must be an object"],
  ['"workflow":{"steps":"anything"}', "workflow.steps must be an array of at most 50 steps"],
  [`"name":"${"n".repeat(201)}"`, "name must be at most 200 characters"],
  ['"name":"a\\u202eb"', "name must not contain control characters or marks of text direction"]
] as const

const emptyNames = ['"name":""', '"name":" \\n\\t "', '"name":7', '"name":["n"]', `"name":${deep}`]

const request = (method: "POST" | "PATCH", written: string) =>
  Effect.flatMap(Partner, ({ instance, member, server }) =>
    send(server, method, method === "POST" ? path : `${path}/${instance.id}`, {
      headers: { cookie: member.cookie, "content-type": "application/json" },
      // Of two fields of one name JSON keeps the last.
      body: `{${method === "POST" ? '"name":"n",' : ""}${written}}`
    })
  )

suite(Partner.layer)("Fields of an instance (contract.md#instances)", (it) => {
  const refuses = (method: "POST" | "PATCH", written: string, message: string) =>
    it.effect(`${method} 400 ${message}: ${written.slice(0, 60)}`, () =>
      Effect.gen(function* () {
        const { asMember } = yield* Partner
        const before = yield* asMember("GET", path)
        expect(statusAndBody(yield* request(method, written))).toStrictEqual(refusal(400, message))
        expect(statusAndBody(yield* asMember("GET", path))).toStrictEqual(statusAndBody(before))
      })
    )

  for (const method of ["POST", "PATCH"] as const) {
    for (const [written, message] of refused) refuses(method, written, message)
  }
  for (const written of [...emptyNames, '"name":null']) refuses("POST", written, "name is required")
  for (const written of emptyNames) refuses("PATCH", written, "name must not be empty")
  for (const written of ['"disabled":"true"', '"disabled":1', `"disabled":${deep}`]) {
    refuses("PATCH", written, "disabled must be true or false")
  }

  it.effect("POST 400 name is required: no body, an empty one", () =>
    Effect.gen(function* () {
      const { asMember } = yield* Partner
      for (const json of [undefined, {}]) {
        expect(statusAndBody(yield* asMember("POST", path, json))).toStrictEqual(
          refusal(400, "name is required")
        )
      }
    })
  )

  for (const written of [
    '"config":{"captcha":{},"redirect":{}}',
    '"config":{"captcha":{"siteKey":null,"minScore":null}}',
    '"config":{"captcha":{"siteKey":"","minScore":0}}',
    '"config":{"captcha":{"provider":"another","minScore":1}}',
    '"config":{"redirect":{"successUrl":null,"failureUrl":"http://localhost:3000/no"}}',
    '"workflow":{"steps":[]}'
  ]) {
    it.effect(`201 and 200 ${written}`, () =>
      Effect.gen(function* () {
        expect((yield* request("POST", written)).status).toBe(201)
        expect((yield* request("PATCH", written)).status).toBe(200)
      })
    )
  }
})
