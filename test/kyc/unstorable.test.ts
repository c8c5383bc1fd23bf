/** Values that Postgres cannot store: each form by itself, and that every field of KYC refuses them. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { storageProblem } from "../../src/shared/storable.ts"
import { field, send } from "../support/client.ts"
import { Partner, refusal, statusAndBody } from "../support/kyc/partner.ts"
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

it("each form of what cannot be stored is known, and nothing else", () => {
  for (const [name, value] of unstorable) {
    expect([name, storageProblem(JSON.parse(value))]).toEqual([name, "unstorable"])
  }
  for (const [name, value] of storable) {
    expect([name, storageProblem(JSON.parse(value))]).toEqual([name, undefined])
  }
})

suite(Partner.layer)("Values that Postgres cannot store", (it) => {
  it.effect("400, and nothing is changed: 10,000 levels, in any field", () =>
    Effect.gen(function* () {
      const { asMember, instance, key, member, newSession, read, server } = yield* Partner
      const session = yield* newSession()
      const all = Effect.all([read(session), asMember("GET", "/api/kyc/instances")])
      const before = yield* all
      const byKey = { "x-api-key": key.token }
      const byMember = { cookie: member.cookie }
      const own = { token: session.token }
      for (const [method, path, headers, fields, name] of [
        ["POST", "/api/kyc/public/sessions", byKey, { instanceId: instance.id }, "metadata"],
        ["POST", `${session.path}/progress`, {}, own, "progress"],
        ["POST", `${session.path}/complete`, {}, own, "result"],
        ["POST", "/api/kyc/instances", byMember, { name: "unstorable" }, "config"],
        ["PATCH", `/api/kyc/instances/${instance.id}`, byMember, {}, "workflow"]
      ] as const) {
        const answer = yield* send(server, method, path, {
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify({ ...fields, [name]: 0 }).replace(`"${name}":0`, `"${name}":${nested(10_000)}`)
        })
        expect(statusAndBody(answer)).toStrictEqual(
          refusal(
            400,
            `${name} must not contain U+0000, lone surrogates, infinite numbers or more than 32 levels`
          )
        )
      }
      expect((yield* all).map(statusAndBody)).toStrictEqual(before.map(statusAndBody))
    })
  )

  it.effect("What can be stored is stored unchanged", () =>
    Effect.gen(function* () {
      const { complete, newSession, progress, read } = yield* Partner
      const values = storable.map(([, value]): unknown => JSON.parse(value))
      const all = { values: values.slice(1) }
      const session = yield* newSession({ metadata: all })
      expect((yield* progress(session, { progress: values[0] })).status).toBe(200)
      expect((yield* complete(session, { result: all })).status).toBe(200)
      expect(field((yield* read(session)).body, "session")).toMatchObject({
        metadata: all,
        progress: values[0],
        result: all
      })
    })
  )
})
