import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, type TestSession } from "../../support/client.ts"
import { companyOn, Partner, refusal, statusAndBody, unknownId } from "../../support/kyc/partner.ts"
import { anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const path = ({ id }: TestSession) => `/api/kyc/sessions/${id}`

const noAssurance = {
  captcha: { verified: false, score: null, at: null },
  dedup: { matchFound: false, seenCount: 0 },
  requiredStepsPresent: true,
  missingSteps: [],
  durationMs: null
}

const unreviewed = { first_workflow: null, review: null, previous_session_id: null, next_session_id: null }

suite(Partner.layer)("The partner's read of a session", (it) => {
  it.effect("200: exactly the fields of a session, flags, assurance, review and checks", () =>
    Effect.gen(function* () {
      const { asPartner, instance, member, newSession } = yield* Partner
      const session = yield* newSession({ externalReference: "a-1", metadata: { plan: "pro" }, mode: "dev" })
      const answer = yield* asPartner(path(session))
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
            instance_workflow: {},
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

  it.effect("200 after expiry, finished or not", () =>
    Effect.gen(function* () {
      const { asMember, asPartner, complete, expire, newSession } = yield* Partner
      const unfinished = yield* newSession()
      const done = yield* newSession()
      yield* complete(done, { result: { a: 1 } })
      for (const [session, status] of [
        [unfinished, "created"],
        [done, "completed"]
      ] as const) {
        yield* expire(session)
        for (const answer of [yield* asPartner(path(session)), yield* asMember("GET", path(session))]) {
          expect(answer.status).toBe(200)
          expect(field(answer.body, "session", "status")).toBe(status)
        }
      }
    })
  )

  it.effect("404 Session not found: unknown, not a UUID, another company's", () =>
    Effect.gen(function* () {
      const { asMember, asPartner, server } = yield* Partner
      const foreign = yield* (yield* companyOn(server)).newSession()
      for (const id of [unknownId, foreign.id, "not-a-uuid", "%00", `${foreign.id}'`]) {
        const address = `/api/kyc/sessions/${id}`
        expect(statusAndBody(yield* asPartner(address))).toStrictEqual(refusal(404, "Session not found"))
        expect(statusAndBody(yield* asMember("GET", address))).toStrictEqual(
          refusal(404, "Session not found")
        )
      }
    })
  )
})
