import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { createInstance, createSession, field, type TestSession } from "../../support/client.ts"
import { databaseNow } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { milliseconds, Partner, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

suite(Partner.layer)("Read session (contract.md#session-object)", (it) => {
  it.effect("200: exactly the fields of a session, after its creation", () =>
    Effect.gen(function* () {
      const { instance, member, newSession, read } = yield* Partner
      const session = yield* newSession({ mode: "dev", externalReference: "a-1", metadata: { plan: "pro" } })
      const answer = yield* read(session)
      expect(statusAndBody(answer)).toStrictEqual({
        status: 200,
        body: {
          session: {
            id: session.id,
            instance_id: instance.id,
            company_id: member.companyId,
            mode: "dev",
            status: "created",
            external_reference: "a-1",
            expires_at: anInstant,
            created_at: anInstant,
            started_at: null,
            updated_at: field(answer.body, "session", "created_at"),
            completed_at: null,
            redacted_at: null,
            progress: {},
            result: null,
            metadata: { plan: "pro" },
            instance_config: {},
            instance_workflow: {}
          }
        }
      })
      expect(answer.headers.get("cache-control")).toBe("no-store")
      expect(answer.headers.get("access-control-allow-origin")).toBe("*")
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull()
    })
  )

  it.effect("Config and workflow are those at its creation: editing an instance changes no session", () =>
    Effect.gen(function* () {
      const { asMember, key, member, read, server } = yield* Partner
      const first = {
        config: { title: { en: "One" }, captcha: { siteKey: "k" } },
        workflow: { steps: [{ id: "a", type: "form" }] }
      }
      const instance = yield* createInstance(server, member, first)
      const before = yield* createSession(server, key.token, instance.id)
      const asRead = yield* read(before)
      expect(field(asRead.body, "session", "instance_config")).toStrictEqual(first.config)
      expect(field(asRead.body, "session", "instance_workflow")).toStrictEqual(first.workflow)

      const edited = yield* asMember("PATCH", `/api/kyc/instances/${instance.id}`, {
        config: { title: { en: "Two" } },
        workflow: { steps: [] },
        disabled: true
      })
      expect(edited.status).toBe(200)
      expect(statusAndBody(yield* read(before))).toStrictEqual(statusAndBody(asRead))

      yield* asMember("PATCH", `/api/kyc/instances/${instance.id}`, { disabled: false })
      const after = yield* read(yield* createSession(server, key.token, instance.id))
      expect(field(after.body, "session", "instance_config")).toStrictEqual({ title: { en: "Two" } })
      expect(field(after.body, "session", "instance_workflow")).toStrictEqual({ steps: [] })
    })
  )

  it.effect("Opening a session changes nothing", () =>
    Effect.gen(function* () {
      const { newSession, read } = yield* Partner
      const session = yield* newSession()
      const first = yield* read(session)
      yield* read(session)
      expect(statusAndBody(yield* read(session))).toStrictEqual(statusAndBody(first))
    })
  )

  it.effect("410 Session expired, from expires_at on, whatever the status", () =>
    Effect.gen(function* () {
      const { asPartner, complete, newSession, read, server } = yield* Partner
      const [session, done] = yield* Effect.replicateEffect(newSession({ expiresInSeconds: 1 }), 2)
      if (session === undefined || done === undefined) throw new Error("a session is missing")
      yield* complete(done)
      for (const each of [session, done]) {
        yield* eventually(
          "the session expires",
          Effect.map(read(each), (answer) => {
            if (answer.status === 200) return false
            expect(statusAndBody(answer)).toStrictEqual(refusal(410, "Session expired"))
            return true
          })
        )
      }
      const { body } = yield* asPartner(`/api/kyc/sessions/${session.id}`)
      expect(yield* databaseNow(server.databaseUrl)).toBeGreaterThanOrEqual(
        milliseconds(body, "session", "expires_at")
      )
      // The partner still reads them.
      expect(field(body, "session", "status")).toBe("created")
      expect((yield* asPartner(`/api/kyc/sessions/${done.id}`)).status).toBe(200)
    })
  )
})

const path = ({ id }: TestSession) => `/api/kyc/sessions/${id}`

const noAssurance = {
  captcha: { verified: false, score: null, at: null },
  dedup: { matchFound: false, seenCount: 0, earlierCompleted: false },
  requiredStepsPresent: false,
  missingSteps: ["consent", "document", "person"],
  durationMs: null
}

const unreviewed = {
  failed_rules: [],
  first_workflow: null,
  review: null,
  previous_session_id: null,
  next_session_id: null
}

suite(Partner.layer)("The partner's read of a session", (it) => {
  it.effect("200: the fields of the end user's read, flags, assurance, review and checks", () =>
    Effect.gen(function* () {
      const { asPartner, newSession, read } = yield* Partner
      const session = yield* newSession({ externalReference: "a-1", metadata: { plan: "pro" }, mode: "dev" })
      const answer = yield* asPartner(path(session))
      expect(statusAndBody(answer)).toStrictEqual({
        status: 200,
        body: {
          session: {
            ...Object(field((yield* read(session)).body, "session")),
            flags: [],
            assurance: noAssurance,
            ...unreviewed,
            checks: []
          }
        }
      })
      expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    })
  )
})
