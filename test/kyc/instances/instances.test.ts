import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { createKey, field, send, text } from "../../support/client.ts"
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
      for (const body of [
        { name: "Onboarding" },
        { name: "  Onboarding\n", config: null, workflow: null, id: unknownId, public_key: "mine" }
      ]) {
        expect(statusAndBody(yield* asMember("POST", path, body))).toStrictEqual({
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
      }
    })
  )

  it.effect("POST, GET: config and workflow are stored unchanged", () =>
    Effect.gen(function* () {
      const { asMember } = yield* Partner
      const config = {
        captcha: { siteKey: "k", minScore: 0.5, theme: "dark" },
        redirect: { successUrl: "https://example.com/ok", failureUrl: null },
        anything: [1, { else: null }]
      }
      const workflow = { steps: [{ id: "a", type: "form" }], more: "ü" }
      const made = yield* asMember("POST", path, { name: "n".repeat(200), config, workflow })
      expect(made.status).toBe(201)
      expect(field(made.body, "instance", "config")).toStrictEqual(config)
      expect(field(made.body, "instance", "workflow")).toStrictEqual(workflow)
      const read = yield* asMember("GET", `${path}/${text(made.body, "instance", "id")}`)
      expect(statusAndBody(read)).toStrictEqual({ status: 200, body: made.body })
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
        [
          { config: {}, workflow: {}, name: "c" },
          { config: {}, workflow: {}, name: "c" }
        ],
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
      for (const change of [content, { config: { a: 1 } }, { workflow: { steps: [] } }, { name: "y" }]) {
        expect((yield* asMember("PATCH", `${path}/${id}`, change)).status).toBe(200)
      }
      expect(yield* versions).toStrictEqual([{ count: 1 }])
      expect((yield* asMember("PATCH", `${path}/${id}`, { config: { a: 2 } })).status).toBe(200)
      expect(yield* versions).toStrictEqual([{ count: 2 }])
    })
  )

  it.effect("400 naming a field of another type: POST and PATCH, and nothing changes", () =>
    Effect.gen(function* () {
      const { asMember, instance } = yield* Partner
      const before = yield* asMember("GET", path)
      for (const [change, message] of [
        [{ config: [] }, "config must be an object"],
        [{ workflow: true }, "workflow must be an object"],
        [{ name: "n".repeat(201) }, "name must be at most 200 characters"],
        [{ name: "a\u202eb" }, "name must not contain control characters or marks of text direction"]
      ] as const) {
        for (const answer of [
          yield* asMember("POST", path, { name: "n", ...change }),
          yield* asMember("PATCH", `${path}/${instance.id}`, change)
        ]) {
          expect(statusAndBody(answer)).toStrictEqual(refusal(400, message))
        }
      }
      for (const name of ["", " \n\t ", 7]) {
        expect(statusAndBody(yield* asMember("POST", path, { name }))).toStrictEqual(
          refusal(400, "name is required")
        )
        expect(statusAndBody(yield* asMember("PATCH", `${path}/${instance.id}`, { name }))).toStrictEqual(
          refusal(400, "name must not be empty")
        )
      }
      expect(
        statusAndBody(yield* asMember("PATCH", `${path}/${instance.id}`, { disabled: "true" }))
      ).toStrictEqual(refusal(400, "disabled must be true or false"))
      expect(statusAndBody(yield* asMember("GET", path))).toStrictEqual(statusAndBody(before))
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
            refusal(401, "Unauthorized")
          )
        }
      })
  )
})
