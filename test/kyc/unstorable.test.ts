import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, send } from "../support/client.ts"
import { Partner, refusal, statusAndBody } from "../support/kyc/partner.ts"
import { execute } from "../support/postgres.ts"
import { suite } from "../support/suite.ts"

/** `levels` objects and arrays within each other, as JSON text. */
const nested = (levels: number) =>
  levels % 2 === 0
    ? '{"a":['.repeat(levels / 2) + "]}".repeat(levels / 2)
    : `{"a":${'[{"a":'.repeat((levels - 1) / 2)}1${"}]".repeat((levels - 1) / 2)}}`

/** JSON objects that Postgres could not hold or not give back, as they come over the wire. */
const unstorable = [
  ["U+0000 in a value", '{"a":["x\\u0000"]}'],
  ["U+0000 in a key", '{"a":{"\\u0000":1}}'],
  ["a lone high surrogate in a value", '{"a":"\\ud800"}'],
  ["a lone low surrogate in a value", '{"a":"\\udc00\\ud800"}'],
  ["a lone surrogate in a key", '{"\\udfff":1}'],
  ["1e400", '{"a":1e400}'],
  ["-1e400 in an array", '{"a":[0,-1e400]}'],
  ["33 levels", nested(33)],
  ["10,000 levels", nested(10_000)]
] as const

const storable = [
  ["32 levels", nested(32)],
  ["a pair of surrogates", '{"\\ud83e\\uddfe":"\\ud83e\\uddfe"}'],
  ["1e308 and 5e-324", '{"a":[1e308,-1e308,5e-324]}'],
  ["every other control character", '{"a":"\\u0001\\u001f\\u007f\\uffff"}']
] as const

const json = { "content-type": "application/json" }

const message = (name: string) =>
  `${name} must not contain U+0000, lone surrogates, infinite numbers or more than 32 levels`

suite(Partner.layer)("Values that Postgres cannot store", (it) => {
  for (const [name, value] of unstorable) {
    it.effect(`400 naming metadata: ${name}`, () =>
      Effect.gen(function* () {
        const { instance, key, server } = yield* Partner
        const answer = yield* send(server, "POST", "/api/kyc/public/sessions", {
          headers: { ...json, "x-api-key": key.token },
          body: `{"instanceId":"${instance.id}","externalReference":"unstorable","metadata":${value}}`
        })
        expect(statusAndBody(answer)).toStrictEqual(refusal(400, message("metadata")))
        expect(
          yield* execute(
            server.databaseUrl,
            "select id from kyc_sessions where external_reference = 'unstorable'"
          )
        ).toEqual([])
      })
    )

    it.effect(`400 naming progress, and naming result: ${name}`, () =>
      Effect.gen(function* () {
        const { newSession, read, server } = yield* Partner
        const session = yield* newSession()
        const before = yield* read(session)
        for (const [route, field, given] of [
          ["progress", "progress", value],
          ["complete", "result", value],
          ["complete", "result", `[${value}]`]
        ] as const) {
          const answer = yield* send(server, "POST", `${session.path}/${route}`, {
            headers: json,
            body: `{"token":"${session.token}","${field}":${given}}`
          })
          expect(statusAndBody(answer)).toStrictEqual(refusal(400, message(field)))
        }
        expect(statusAndBody(yield* read(session))).toStrictEqual(statusAndBody(before))
      })
    )

    it.effect(`400 naming an instance's config, and its workflow: ${name}`, () =>
      Effect.gen(function* () {
        const { asMember, instance, member, server } = yield* Partner
        const before = yield* asMember("GET", "/api/kyc/instances")
        for (const field of ["config", "workflow"]) {
          for (const [method, path] of [
            ["POST", "/api/kyc/instances"],
            ["PATCH", `/api/kyc/instances/${instance.id}`]
          ] as const) {
            const answer = yield* send(server, method, path, {
              headers: { ...json, cookie: member.cookie },
              body: `{"name":"unstorable","${field}":${value}}`
            })
            expect(statusAndBody(answer)).toStrictEqual(refusal(400, message(field)))
          }
        }
        expect(statusAndBody(yield* asMember("GET", "/api/kyc/instances"))).toStrictEqual(
          statusAndBody(before)
        )
      })
    )
  }

  for (const [name, result] of [
    ["U+0000", '"\\u0000"'],
    ["a lone surrogate", '"\\ud800"'],
    ["1e400", "1e400"]
  ] as const) {
    it.effect(`400 naming result: ${name} as the whole value`, () =>
      Effect.gen(function* () {
        const { newSession, read, server } = yield* Partner
        const session = yield* newSession()
        const answer = yield* send(server, "POST", `${session.path}/complete`, {
          headers: json,
          body: `{"token":"${session.token}","result":${result}}`
        })
        expect(statusAndBody(answer)).toStrictEqual(refusal(400, message("result")))
        expect(field((yield* read(session)).body, "session", "status")).toBe("created")
      })
    )
  }

  for (const [name, character] of [
    ["U+0000", "\u0000"],
    ["a lone surrogate", "\udc00"]
  ] as const) {
    it.effect(`400 naming externalReference, and an instance's name: ${name}`, () =>
      Effect.gen(function* () {
        const { asMember, create, instance } = yield* Partner
        const before = yield* asMember("GET", "/api/kyc/instances")
        expect(statusAndBody(yield* create({ externalReference: `a${character}b` }))).toStrictEqual(
          refusal(400, "externalReference must not contain U+0000 or lone surrogates")
        )
        const named = { name: `a${character}b` }
        for (const answer of [
          yield* asMember("POST", "/api/kyc/instances", named),
          yield* asMember("PATCH", `/api/kyc/instances/${instance.id}`, named)
        ]) {
          expect(statusAndBody(answer)).toStrictEqual(
            refusal(400, "name must not contain U+0000 or lone surrogates")
          )
        }
        expect(statusAndBody(yield* asMember("GET", "/api/kyc/instances"))).toStrictEqual(
          statusAndBody(before)
        )
      })
    )
  }

  for (const [route, name, message] of [
    ["create", "instanceKey", "instanceKey or instanceId is required"],
    ["create", "externalReference", "externalReference must be a string of at most 255 characters"],
    ["create", "expiresInSeconds", "expiresInSeconds must be a whole number from 1 to 2592000"],
    ["create", "successRedirectUrl", "successRedirectUrl must be an http or https URL"],
    ["create", "mode", "mode must be prod or dev"],
    ["progress", "token", "token is required"],
    ["progress", "status", "status must be one of created, running, failed, cancelled"],
    ["complete", "status", "status must be one of completed, failed, cancelled"]
  ] as const) {
    it.effect(`400 for 10,000 levels in a field that is not an object: ${name} of ${route}`, () =>
      Effect.gen(function* () {
        const { instance, key, newSession, server } = yield* Partner
        const { path, token } = yield* newSession()
        const fields = { instanceId: instance.id, token, [name]: 0 }
        const answer = yield* send(
          server,
          "POST",
          route === "create" ? "/api/kyc/public/sessions" : `${path}/${route}`,
          {
            headers: { ...json, "x-api-key": key.token },
            body: JSON.stringify(fields).replace(`"${name}":0`, `"${name}":${nested(10_000)}`)
          }
        )
        expect(statusAndBody(answer)).toStrictEqual(refusal(400, message))
      })
    )
  }

  for (const [name, value] of storable) {
    it.effect(`Stored unchanged: ${name}`, () =>
      Effect.gen(function* () {
        const { complete, instance, key, progress, read, server } = yield* Partner
        const parsed: unknown = JSON.parse(value)
        const created = yield* send(server, "POST", "/api/kyc/public/sessions", {
          headers: { "x-api-key": key.token },
          json: { instanceId: instance.id, metadata: parsed }
        })
        expect(created.status).toBe(201)
        const id = String(field(created.body, "session", "id"))
        const token = String(field(created.body, "sessionToken"))
        const session = { id, token, path: `/api/kyc/public/sessions/${id}` }
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
