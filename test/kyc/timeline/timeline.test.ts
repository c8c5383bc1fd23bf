/** The events of a session, as its company sees them. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, text } from "../../support/client.ts"
import { Issuers, tokenWith, verify } from "../../support/kyc/captcha.ts"
import { check, newKeyHash } from "../../support/kyc/dedup.ts"
import { samples, upload } from "../../support/kyc/files.ts"
import { cancel, claimed, confirm, make, newReceipt } from "../../support/kyc/handoffs.ts"
import { companyOn, milliseconds, Partner, statusAndBody } from "../../support/kyc/partner.ts"
import { anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const pathOf = ({ id }: { readonly id: string }) => `/api/kyc/sessions/${id}/timeline`

suite(Partner.layer)("GET /api/kyc/sessions/:id/timeline", (it) => {
  it.effect("200: a new session has its creation and its expiry", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const session = yield* company.newSession()
      const answer = yield* company.asPartner(pathOf(session))
      expect(statusAndBody(answer)).toStrictEqual({
        status: 200,
        body: {
          events: [
            { type: "created", at: anInstant },
            { type: "expires", at: anInstant }
          ]
        }
      })
      const read = yield* company.asPartner(`/api/kyc/sessions/${session.id}`)
      expect(text(answer.body, "events", 1, "at")).toBe(text(read.body, "session", "expires_at"))
      expect(statusAndBody(yield* company.asMember("GET", pathOf(session)))).toStrictEqual(
        statusAndBody(answer)
      )
      yield* company.expire(session)
      const late = yield* company.asPartner(pathOf(session))
      expect(field(late.body, "events")).toContainEqual({ type: "expired", at: anInstant })
    })
  )

  it.effect("200: a complete session, oldest first; steps in the order of the workflow", () =>
    Effect.gen(function* () {
      const { server } = yield* Partner
      const company = yield* companyOn(server, {
        workflow: {
          v: 1,
          id: "w",
          version: 1,
          steps: [
            { id: "person", type: "form", fields: [] },
            { id: "doc", type: "form", fields: [{ id: "number", type: "text", required: true }] },
            { id: "a_last", type: "upload", optional: true }
          ]
        }
      })
      const earlier = yield* company.newSession()
      const [known, fresh] = [newKeyHash(), newKeyHash()]
      yield* check(company, earlier, known)

      const session = yield* company.newSession()
      yield* company.progress(session, {
        status: "running",
        progress: { s_a_last: { skipped: true }, s_gone: {}, s_doc: {}, odd: 1 }
      })
      const given = yield* make(company, session)
      yield* cancel(company, session, given.id)
      const taken = yield* make(company, session)
      const receipt = newReceipt()
      yield* confirm(company, taken, receipt, yield* claimed(company, taken, receipt))
      const stored = yield* upload(server, session, samples.png)
      yield* check(company, session, fresh)
      yield* check(company, session, known)
      yield* company.progress(session, { progress: { s_doc: { number: "1" }, s_person: {} } })
      yield* company.complete(session, { status: "failed" })
      // Whoever has it later does not make it known before.
      yield* check(company, yield* company.newSession(), fresh)

      const { body } = yield* company.asPartner(pathOf(session))
      const event = (type: string, fields: object = {}) => ({ type, at: anInstant, ...fields })
      const handoff = (name: string, handoff_id: string, device: string | null = null) =>
        event(`handoff_${name}`, { handoff_id, device })
      expect(body).toStrictEqual({
        events: [
          event("created"),
          event("started"),
          handoff("created", given.id),
          handoff("cancelled", given.id),
          handoff("created", taken.id),
          handoff("claimed", taken.id, "iphone"),
          handoff("confirmed", taken.id, "iphone"),
          event("file_stored", {
            file_id: text(stored.body, "file", "id"),
            content_type: "image/png",
            size: samples.png.length
          }),
          event("dedup_checked", { matchFound: false }),
          event("dedup_checked", { matchFound: true }),
          event("progress", { steps: ["person", "doc", "a_last"] }),
          event("failed")
        ]
      })
      const events = field(body, "events")
      const times = Array.isArray(events) ? events.map((_, index) => milliseconds(events, index, "at")) : []
      expect(times).toEqual(times.toSorted((one, other) => one - other))
    })
  )

  it.effect("200: a workflow without a list of steps", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const session = yield* company.newSession()
      const person = { givenName: "Ada", familyName: "Berg", dateOfBirth: "1990-02-28", nationality: "EST" }
      // What is no answer, no whole one, or answers no step, is no step that was answered.
      yield* company.progress(session, {
        progress: { s_consent: null, s_document: {}, s_b: { a: 1 }, s_person: person }
      })
      const { body } = yield* company.asPartner(pathOf(session))
      expect(field(body, "events", 1)).toStrictEqual({ type: "progress", at: anInstant, steps: ["person"] })
    })
  )
})

suite(Issuers.layer)("The captcha in a timeline", (it) => {
  it.effect("has the time when it was first passed, and the best score", () =>
    Effect.gen(function* () {
      const { strict } = yield* Issuers
      const session = yield* strict.newSession()
      yield* verify(strict, session, yield* Effect.promise(() => tokenWith({ score: 0.25 })))
      yield* verify(strict, session, yield* Effect.promise(() => tokenWith({ score: 0.75 })))
      const { body } = yield* strict.asPartner(pathOf(session))
      const read = yield* strict.asPartner(`/api/kyc/sessions/${session.id}`)
      expect(field(body, "events", 1)).toStrictEqual({
        type: "captcha_verified",
        at: text(read.body, "session", "assurance", "captcha", "at"),
        score: 0.75
      })
    })
  )
})
