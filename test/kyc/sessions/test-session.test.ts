/** Sessions that a dashboard user tries an instance out with. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, send, text } from "../../support/client.ts"
import {
  companyOn,
  milliseconds,
  Partner,
  refusal,
  startCompany,
  statusAndBody
} from "../../support/kyc/partner.ts"
import { anId, anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const pathOf = (instanceId: string) => `/api/kyc/instances/${instanceId}/test-session`

suite(Partner.layer)("POST /api/kyc/instances/:id/test-session", (it) => {
  it.effect("201: a session of mode dev, whose link works for an hour", () =>
    Effect.gen(function* () {
      const { asMember, instance, member, server } = yield* Partner
      const answer = yield* asMember("POST", pathOf(instance.id))
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

  it.effect("404 Instance not found: disabled", () =>
    Effect.gen(function* () {
      const disabled = yield* companyOn((yield* Partner).server)
      yield* disabled.asMember("PATCH", `/api/kyc/instances/${disabled.instance.id}`, { disabled: true })
      expect(statusAndBody(yield* disabled.asMember("POST", pathOf(disabled.instance.id)))).toStrictEqual(
        refusal(404, "Instance not found")
      )
    })
  )

  it.scoped("400 dev mode is not allowed on this environment (KYC_DEV_MODE=refuse)", () =>
    Effect.gen(function* () {
      const { asMember, instance } = yield* startCompany({ KYC_DEV_MODE: "refuse" })
      expect(statusAndBody(yield* asMember("POST", pathOf(instance.id)))).toStrictEqual(
        refusal(400, "dev mode is not allowed on this environment")
      )
    })
  )
})
