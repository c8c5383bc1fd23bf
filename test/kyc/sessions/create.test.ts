import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { createInstance, field, send, signUp, text } from "../../support/client.ts"
import {
  milliseconds,
  Partner,
  refusal,
  startCompany,
  statusAndBody,
  unknownId
} from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { anId, anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const path = "/api/kyc/public/sessions"
const testPathOf = (instanceId: string) => `/api/kyc/instances/${instanceId}/test-session`

suite(Partner.layer)("Create session (contract.md#kyc-sessions)", (it) => {
  it.effect("201: session, verificationUrl, sessionToken", () =>
    Effect.gen(function* () {
      const { create, instance, member } = yield* Partner
      const answer = yield* create()
      const id = text(answer.body, "session", "id")
      const token = text(answer.body, "sessionToken")
      expect(statusAndBody(answer)).toStrictEqual({
        status: 201,
        body: {
          session: {
            id: anId,
            instance_id: instance.id,
            company_id: member.companyId,
            mode: "prod",
            status: "created",
            external_reference: null,
            expires_at: anInstant,
            created_at: anInstant
          },
          verificationUrl: `http://doorlock.test/kyc/session/${id}?token=${token}`,
          sessionToken: expect.stringMatching(/^kyc_sess_[0-9A-Za-z]{49}$/)
        }
      })
      expect(answer.headers.get("content-type")).toBe("application/json")
      expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    })
  )

  it.scoped("verificationUrl and the hosted result page begin with APP_URL", () =>
    Effect.gen(function* () {
      const { complete, create } = yield* startCompany({ APP_URL: "https://app.example.com/kyc-app/" })
      const { body } = yield* create()
      const [id, token] = [text(body, "session", "id"), text(body, "sessionToken")]
      const page = `https://app.example.com/kyc-app/kyc/session/${id}`
      expect(text(body, "verificationUrl")).toBe(`${page}?token=${token}`)
      const done = yield* complete({ id, token, path: `${path}/${id}` })
      expect(field(done.body, "redirectUrl")).toBe(`${page}/done`)
    })
  )

  it.effect("The token is returned once and stored only as its hash", () =>
    Effect.gen(function* () {
      const { asMember, asPartner, complete, newSession, progress, read, server } = yield* Partner
      const session = yield* newSession()
      const secret = session.token.slice("kyc_sess_".length)
      const [stored] = yield* execute(
        server.databaseUrl,
        "select to_jsonb(s)::text as dump, s.token_hash from kyc_sessions s where id = $1",
        [session.id]
      )
      expect(stored?.dump).toContain(session.id)
      expect(stored?.dump).not.toContain(secret)
      expect(stored?.token_hash).toEqual(
        Buffer.from(new Bun.CryptoHasher("sha256").update(session.token).digest())
      )
      const answers = yield* Effect.all([
        read(session),
        progress(session),
        complete(session),
        asPartner(`/api/kyc/sessions/${session.id}`),
        asPartner("/api/kyc/sessions"),
        asMember("GET", `/api/kyc/sessions/${session.id}`)
      ])
      for (const answer of answers) {
        expect(answer.status).toBe(200)
        expect(answer.text).toContain(session.id)
        expect(answer.text).not.toContain(secret)
      }
    })
  )

  it.scoped("400 dev mode is not allowed on this environment (KYC_DEV_MODE=refuse)", () =>
    Effect.gen(function* () {
      const { asMember, create, instance, server } = yield* startCompany({ KYC_DEV_MODE: "refuse" })
      const refused = refusal(400, "dev mode is not allowed on this environment")
      expect(statusAndBody(yield* create({ mode: "dev" }))).toStrictEqual(refused)
      expect(statusAndBody(yield* asMember("POST", testPathOf(instance.id)))).toStrictEqual(refused)
      expect((yield* create({ mode: "prod" })).status).toBe(201)
      expect(yield* execute(server.databaseUrl, "select mode from kyc_sessions")).toEqual([{ mode: "prod" }])
    })
  )

  it.effect("403 API key is not allowed for this instance", () =>
    Effect.gen(function* () {
      const { create, server } = yield* Partner
      const foreign = yield* createInstance(server, yield* signUp(server))
      for (const named of [
        { instanceId: foreign.id },
        { instanceId: "", instanceKey: foreign.publicKey },
        { instanceId: foreign.id, instanceKey: foreign.publicKey }
      ]) {
        expect(statusAndBody(yield* create(named))).toStrictEqual(
          refusal(403, "API key is not allowed for this instance")
        )
      }
      expect(
        yield* execute(server.databaseUrl, "select id from kyc_sessions where instance_id = $1", [foreign.id])
      ).toEqual([])
    })
  )

  it.effect("Instance: by key, by id or by both; an empty string counts as missing; else 404", () =>
    Effect.gen(function* () {
      const { asMember, create, instance, member, server } = yield* Partner
      for (const named of [
        { instanceId: undefined, instanceKey: instance.publicKey },
        { instanceId: "", instanceKey: instance.publicKey },
        { instanceId: instance.id.toUpperCase() },
        { instanceId: instance.id, instanceKey: instance.publicKey }
      ]) {
        const answer = yield* create(named)
        expect([answer.status, field(answer.body, "session", "instance_id")]).toEqual([201, instance.id])
      }
      const other = yield* createInstance(server, member)
      const disabled = yield* createInstance(server, member)
      yield* asMember("PATCH", `/api/kyc/instances/${disabled.id}`, { disabled: true })
      for (const named of [
        { instanceId: unknownId },
        { instanceId: instance.publicKey },
        { instanceId: "", instanceKey: instance.id },
        { instanceKey: other.publicKey },
        { instanceKey: instance.publicKey.toLowerCase() },
        { instanceId: disabled.id },
        { instanceId: "", instanceKey: disabled.publicKey }
      ]) {
        expect(statusAndBody(yield* create(named))).toStrictEqual(refusal(404, "Instance not found"))
      }
      const test = yield* asMember("POST", testPathOf(disabled.id))
      expect(statusAndBody(test)).toStrictEqual(refusal(404, "Instance not found"))
    })
  )
})

suite(Partner.layer)("POST /api/kyc/instances/:id/test-session", (it) => {
  it.effect("201: a session of mode dev, whose link works for an hour", () =>
    Effect.gen(function* () {
      const { asMember, instance, member, server } = yield* Partner
      const answer = yield* asMember("POST", testPathOf(instance.id))
      expect(statusAndBody(answer)).toStrictEqual({
        status: 201,
        body: {
          session: {
            id: anId,
            instance_id: instance.id,
            company_id: member.companyId,
            mode: "dev",
            status: "created",
            external_reference: null,
            expires_at: anInstant,
            created_at: anInstant
          },
          verificationUrl: expect.any(String),
          sessionToken: expect.stringMatching(/^kyc_sess_/)
        }
      })
      const { body } = answer
      const [id, token] = [text(body, "session", "id"), text(body, "sessionToken")]
      expect(text(body, "verificationUrl")).toBe(`http://doorlock.test/kyc/session/${id}?token=${token}`)
      expect(milliseconds(body, "session", "expires_at") - milliseconds(body, "session", "created_at")).toBe(
        3_600_000
      )
      const read = yield* send(server, "GET", `/api/kyc/public/sessions/${id}?token=${token}`)
      expect(field(read.body, "session", "mode")).toBe("dev")
    })
  )
})
