import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { createKey, field, send, text } from "../../support/client.ts"
import { badSense, badShape, good } from "../../support/kyc/instance-documents.ts"
import {
  aPublicKey,
  companyOn,
  Partner,
  refusal,
  statusAndBody,
  unknownId
} from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { anId, anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const path = "/api/kyc/instances"

const newCompany = Effect.flatMap(Partner, ({ server }) => companyOn(server))

suite(Partner.layer)("Instances (contract.md#instances)", (it) => {
  it.effect("POST 201: the instance, with an empty config and workflow by default", () =>
    Effect.gen(function* () {
      const { asMember } = yield* Partner
      const given = {
        name: "  Onboarding\n",
        config: null,
        workflow: null,
        id: unknownId,
        public_key: "mine"
      }
      expect(statusAndBody(yield* asMember("POST", path, given))).toStrictEqual({
        status: 201,
        body: {
          instance: {
            id: anId,
            name: "Onboarding",
            public_key: aPublicKey,
            config: {},
            workflow: {},
            disabled_at: null,
            created_at: anInstant
          }
        }
      })
    })
  )

  it.effect("GET list: only the company's own, newest first, disabled ones too", () =>
    Effect.gen(function* () {
      const { asMember, instance } = yield* newCompany
      const second = yield* asMember("POST", path, { name: "second" })
      const first = yield* asMember("PATCH", `${path}/${instance.id}`, { disabled: true })
      expect(statusAndBody(yield* asMember("GET", path))).toStrictEqual({
        status: 200,
        body: { instances: [field(second.body, "instance"), field(first.body, "instance")] }
      })
    })
  )

  it.effect("PATCH 200: only given fields change; null counts as omitted", () =>
    Effect.gen(function* () {
      const { asMember } = yield* Partner
      const made = yield* asMember("POST", path, { name: "a", config: { a: 1 }, workflow: { w: 1 } })
      const address = `${path}/${text(made.body, "instance", "id")}`
      let now: Record<string, unknown> = { ...Object(field(made.body, "instance")) }
      for (const [change, changed] of [
        [{}, {}],
        [{ name: null, config: null, workflow: null, disabled: null }, {}],
        [{ name: " b " }, { name: "b" }],
        [{ config: { b: 2 } }, { config: { b: 2 } }],
        [{ workflow: { x: [] } }, { workflow: { x: [] } }],
        [{ public_key: "x", created_at: null, id: unknownId }, {}]
      ] as const) {
        now = { ...now, ...changed }
        const answer = { status: 200, body: { instance: now } }
        expect(statusAndBody(yield* asMember("PATCH", address, change))).toStrictEqual(answer)
        expect(statusAndBody(yield* asMember("GET", address))).toStrictEqual(answer)
      }
    })
  )

  it.effect("PATCH disabled: disabled_at is set once, and cleared again", () =>
    Effect.gen(function* () {
      const { asMember, create, instance } = yield* newCompany
      const address = `${path}/${instance.id}`
      const disabled = yield* asMember("PATCH", address, { disabled: true })
      expect(field(disabled.body, "instance", "disabled_at")).toStrictEqual(anInstant)
      expect((yield* create()).status).toBe(404)
      for (const change of [{ disabled: true }, { name: "test" }]) {
        expect(statusAndBody(yield* asMember("PATCH", address, change))).toStrictEqual(
          statusAndBody(disabled)
        )
      }
      const enabled = yield* asMember("PATCH", address, { disabled: false })
      expect(enabled.body).toStrictEqual({
        instance: { ...Object(field(disabled.body, "instance")), disabled_at: null }
      })
      expect((yield* create()).status).toBe(201)
    })
  )

  it.effect("400: a name that is blank or too long, disabled that is no boolean; nothing changes", () =>
    Effect.gen(function* () {
      const { asMember, instance } = yield* Partner
      const before = yield* asMember("GET", path)
      for (const [change, message] of [
        [{ name: " \n\t " }, "name must not be empty"],
        [{ name: ["n"] }, "name must not be empty"],
        [{ name: "n".repeat(201) }, "name must be at most 200 characters"],
        [{ disabled: "true" }, "disabled must be true or false"]
      ] as const) {
        expect(statusAndBody(yield* asMember("PATCH", `${path}/${instance.id}`, change))).toStrictEqual(
          refusal(400, message)
        )
      }
      for (const name of [undefined, " \n\t ", 7, null]) {
        expect(statusAndBody(yield* asMember("POST", path, { name }))).toStrictEqual(
          refusal(400, "name is required")
        )
      }
      expect(statusAndBody(yield* asMember("GET", path))).toStrictEqual(statusAndBody(before))
    })
  )

  it.effect("PATCH with unchanged content creates no version", () =>
    Effect.gen(function* () {
      const { asMember, server } = yield* Partner
      const content = { config: { a: 1 }, workflow: { steps: [] } }
      const created = yield* asMember("POST", path, { name: "x", ...content })
      const id = text(created.body, "instance", "id")
      const versions = execute(
        server.databaseUrl,
        "select count(*)::int as count from kyc_instance_versions where instance_id = $1",
        [id]
      )
      for (const change of [content, { config: { a: 1 } }, { name: "y" }]) {
        expect((yield* asMember("PATCH", `${path}/${id}`, change)).status).toBe(200)
      }
      expect(yield* versions).toStrictEqual([{ count: 1 }])
      expect((yield* asMember("PATCH", `${path}/${id}`, { config: { a: 2 } })).status).toBe(200)
      expect(yield* versions).toStrictEqual([{ count: 2 }])
    })
  )

  it.effect("concurrent PATCHes lose nothing", () =>
    Effect.gen(function* () {
      const { asMember, instance } = yield* newCompany
      const address = `${path}/${instance.id}`
      const changes = [{ config: { a: 1 } }, { workflow: { b: 2 } }, { name: "both" }, { disabled: true }]
      const answers = yield* Effect.all(
        changes.map((change) => asMember("PATCH", address, change)),
        { concurrency: "unbounded" }
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect((yield* asMember("GET", address)).body).toStrictEqual({
        instance: {
          id: instance.id,
          name: "both",
          public_key: instance.publicKey,
          config: { a: 1 },
          workflow: { b: 2 },
          disabled_at: anInstant,
          created_at: anInstant
        }
      })
    })
  )

  it.effect(
    "GET with a platform key that names the scope kyc:instances:read; `*` and its ancestors are not enough",
    () =>
      Effect.gen(function* () {
        const { instance, member, server } = yield* Partner
        const named = yield* createKey(server, member, { scopes: ["kyc:instances:read"] })
        const broad = yield* createKey(server, member, { scopes: ["*", "kyc", "kyc:instances:*"] })
        for (const address of [path, `${path}/${instance.id}`]) {
          const ask = (headers: Record<string, string>) => send(server, "GET", address, { headers })
          const expected = yield* ask({ cookie: member.cookie })
          expect(expected.status).toBe(200)
          expect(statusAndBody(yield* ask({ "x-api-key": named.token }))).toStrictEqual(
            statusAndBody(expected)
          )
          expect(statusAndBody(yield* ask({ authorization: `Bearer ${named.token}` }))).toStrictEqual(
            statusAndBody(expected)
          )
          expect(statusAndBody(yield* ask({ authorization: `Bearer ${broad.token}` }))).toStrictEqual(
            refusal(403, "API key does not have the scope kyc:instances:read")
          )
        }
      })
  )
})

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
  it.effect("POST, PATCH 400: of another shape, without sense, or too large", () =>
    Effect.gen(function* () {
      for (const [kind, json, sentence] of [
        ...badSense.slice(0, 1),
        ...badShape.filter(([kind]) => kind === "workflow").slice(0, 1),
        ["config", "[]", "config must be an object"],
        ["workflow", "[]", "workflow must be an object"],
        ["config", large, "config is too large"],
        ["workflow", large, "workflow is too large"]
      ] as const) {
        for (const method of ["POST", "PATCH"] as const) {
          expect(statusAndBody(yield* save(method, kind, json))).toStrictEqual(refusal(400, sentence))
        }
      }
    })
  )

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
