import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, send } from "../support/client.ts"
import { Partner, refusal, statusAndBody } from "../support/kyc/partner.ts"
import { suite } from "../support/suite.ts"

/** `levels` objects and arrays within each other, as JSON text; an even number. */
const nested = (levels: number) => '{"a":['.repeat(levels / 2) + "]}".repeat(levels / 2)

/** JSON objects that Postgres could not hold or not give back, as they come over the wire. */
const unstorable = [
  ["U+0000 in a value", '{"a":["x\\u0000"]}'],
  ["U+0000 in a key", '{"a":{"\\u0000":1}}'],
  ["a lone low surrogate in a value", '{"a":"\\udc00\\ud800"}'],
  ["a lone surrogate in a key", '{"\\udfff":1}'],
  ["-1e400 in an array", '{"a":[0,-1e400]}'],
  ["34 levels", nested(34)],
  ["10,000 levels", nested(10_000)]
] as const

const storable = [
  ["32 levels", nested(32)],
  ["a pair of surrogates", '{"\\ud83e\\uddfe":"\\ud83e\\uddfe"}'],
  ["1e308 and 5e-324", '{"a":[1e308,-1e308,5e-324]}'],
  ["every other control character", '{"a":"\\u0001\\u001f\\u007f\\uffff"}']
] as const

const message = (name: string) =>
  `${name} must not contain U+0000, lone surrogates, infinite numbers or more than 32 levels`

/** Sends fields that are written out, for what `JSON.stringify` cannot write. */
const sendWritten = (path: string, fields: string, method = "POST") =>
  Effect.flatMap(Partner, ({ instance, key, member, server }) =>
    send(server, method, path, {
      headers: {
        "content-type": "application/json",
        ...(path.startsWith("/api/kyc/public") ? { "x-api-key": key.token } : { cookie: member.cookie })
      },
      body: `{"instanceId":"${instance.id}","name":"x",${fields}}`
    })
  )

suite(Partner.layer)("Values that Postgres cannot store", (it) => {
  for (const [name, value] of unstorable) {
    it.effect(`400 naming metadata, progress, result, an instance's config and its workflow: ${name}`, () =>
      Effect.gen(function* () {
        const { asMember, asPartner, instance, newSession } = yield* Partner
        const { path, token } = yield* newSession()
        const stored = Effect.all([asPartner("/api/kyc/sessions"), asMember("GET", "/api/kyc/instances")])
        const before = (yield* stored).map(statusAndBody)
        const withToken = `"token":"${token}",`
        for (const [to, fields, named, method] of [
          ["/api/kyc/public/sessions", `"metadata":${value}`, "metadata"],
          [`${path}/progress`, `${withToken}"progress":${value}`, "progress"],
          [`${path}/complete`, `${withToken}"result":[${value}]`, "result"],
          ["/api/kyc/instances", `"config":${value}`, "config"],
          [`/api/kyc/instances/${instance.id}`, `"workflow":${value}`, "workflow", "PATCH"]
        ] as const) {
          const answer = yield* sendWritten(to, fields, method)
          expect(statusAndBody(answer)).toStrictEqual(refusal(400, message(named)))
        }
        expect((yield* stored).map(statusAndBody)).toStrictEqual(before)
      })
    )
  }

  it.effect("400 naming externalReference, and an instance's name: U+0000, a lone surrogate", () =>
    Effect.gen(function* () {
      const { asMember, create } = yield* Partner
      for (const character of ["\u0000", "\udc00"]) {
        expect(statusAndBody(yield* create({ externalReference: `a${character}b` }))).toStrictEqual(
          refusal(400, "externalReference must not contain U+0000 or lone surrogates")
        )
        expect(
          statusAndBody(yield* asMember("POST", "/api/kyc/instances", { name: `a${character}b` }))
        ).toStrictEqual(refusal(400, "name must not contain U+0000 or lone surrogates"))
      }
    })
  )

  it.effect("400 for 10,000 levels in a field that is not an object", () =>
    Effect.gen(function* () {
      const { newSession } = yield* Partner
      const { path, token } = yield* newSession()
      const deep = nested(10_000)
      for (const [to, fields, error] of [
        ["/api/kyc/public/sessions", `"mode":${deep}`, "mode must be prod or dev"],
        [`${path}/progress`, `"token":${deep}`, "token is required"],
        [
          `${path}/complete`,
          `"token":"${token}","status":${deep}`,
          "status must be one of completed, failed, cancelled"
        ]
      ] as const) {
        expect(statusAndBody(yield* sendWritten(to, fields))).toStrictEqual(refusal(400, error))
      }
    })
  )

  for (const [name, value] of storable) {
    it.effect(`Stored unchanged: ${name}`, () =>
      Effect.gen(function* () {
        const { complete, newSession, progress, read } = yield* Partner
        const parsed = JSON.parse(value)
        const session = yield* newSession({ metadata: parsed })
        expect((yield* progress(session, { progress: parsed })).status).toBe(200)
        expect((yield* complete(session, { result: parsed })).status).toBe(200)
        const { body } = yield* read(session)
        for (const name of ["metadata", "progress", "result"]) {
          expect(field(body, "session", name)).toStrictEqual(parsed)
        }
      })
    )
  }
})
