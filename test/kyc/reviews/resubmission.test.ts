import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { auditEvents, eventsOf } from "../../support/audit/trail.ts"
import { createInstance, createKey, field, join, send, text } from "../../support/client.ts"
import { type Company, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import {
  opened,
  type Reviewer,
  reviewerOf,
  reviewingCompany,
  reviewsAs,
  waitingSession
} from "../../support/kyc/reviews.ts"
import { TestServer } from "../../support/server.ts"
import { anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const sessionOf = (company: Company, { id }: { readonly id: string }) =>
  Effect.map(company.asPartner(`/api/kyc/sessions/${id}`), ({ body }) => field(body, "session"))

const refused = refusal(403, "Another person has to confirm")
const approve = { decision: "approved" }
const again = { decision: "resubmission", steps: ["document"] }

suite(TestServer.layer)("A resubmission", (it) => {
  it.effect("A new session asks for the named steps alone, and has the other answers", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany(yield* TestServer)
      const { decide } = yield* reviewerOf(company)
      const given = {
        externalReference: "customer-42",
        metadata: { plan: "pro" },
        successRedirectUrl: "https://example.com/welcome"
      }
      const session = yield* waitingSession(company, given)
      yield* company.asMember("PATCH", `/api/kyc/instances/${company.instance.id}`, {
        workflow: { steps: [] }
      })

      const answer = yield* decide(session, {
        decision: "resubmission",
        reasons: ["photo_unreadable"],
        steps: ["document"],
        expiresInSeconds: 1000
      })
      const next = opened(answer)
      expect(answer).toMatchObject({
        status: 200,
        body: { review: { decision: "resubmission", next_session_id: next.id, previous_session_id: null } }
      })
      expect(yield* sessionOf(company, session)).toMatchObject({
        review: { decision: "resubmission", reasons: ["photo_unreadable"] },
        previous_session_id: null,
        next_session_id: next.id
      })
      const partner = yield* sessionOf(company, next)
      expect(partner).toMatchObject({
        instance_id: company.instance.id,
        status: "created",
        mode: "prod",
        external_reference: given.externalReference,
        metadata: given.metadata,
        started_at: null,
        review: null,
        previous_session_id: session.id,
        next_session_id: null
      })
      expect(Date.parse(text(partner, "expires_at")) - Date.parse(text(partner, "created_at"))).toBe(
        1_000_000
      )

      const page = yield* company.read(next)
      // How the company decides is not for end users.
      expect(field(page.body, "session", "instance_config")).toStrictEqual({ v: 1 })
      expect(field(page.body, "session", "progress")).toStrictEqual({ s_person: { name: "Ada" } })
      expect(field(page.body, "session", "instance_workflow")).toStrictEqual({
        v: 1,
        steps: [{ id: "document", type: "document" }],
        rules: [
          {
            after: "document",
            if: { path: "document.country", op: "eq", value: "XXX" },
            // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the format; nothing awaits it.
            then: { fail: "COUNTRY" }
          }
        ]
      })

      yield* company.progress(next, { progress: { s_document: { type: "passport" } } })
      expect(yield* company.complete(next)).toMatchObject({
        status: 200,
        body: { redirectUrl: given.successRedirectUrl }
      })
      expect(yield* sessionOf(company, next)).toMatchObject({
        progress: { s_person: { name: "Ada" }, s_document: { type: "passport" } },
        // It names no photo.
        assurance: { missingSteps: ["document"] },
        review: { status: "pending" }
      })
      // It can be asked for again, in a chain.
      const third = opened(yield* decide(next, again))
      expect(yield* sessionOf(company, third)).toMatchObject({ previous_session_id: next.id })
    })
  )

  it.effect("Each of the two sessions is redacted alone: the other one stays readable", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany(yield* TestServer)
      const { decide } = yield* reviewerOf(company)
      const gone = { redacted_at: anInstant, progress: null, metadata: null }
      const kept = { redacted_at: null, progress: { s_person: { name: "Ada" } }, metadata: { plan: "pro" } }
      for (const redacted of ["session", "next"] as const) {
        const session = yield* waitingSession(company, { metadata: { plan: "pro" } })
        const next = opened(yield* decide(session, again))
        const { id } = { next, session }[redacted]
        expect((yield* company.asMember("POST", `/api/kyc/sessions/${id}/redact`)).status).toBe(200)
        expect(yield* sessionOf(company, session)).toMatchObject({
          ...(redacted === "session" ? gone : kept),
          next_session_id: next.id
        })
        expect(yield* sessionOf(company, next)).toMatchObject({
          ...(redacted === "next" ? gone : kept),
          previous_session_id: session.id
        })
        expect(field((yield* company.read(next)).body, "session", "progress")).toEqual(
          redacted === "next" ? null : kept.progress
        )
      }
    })
  )

  it.effect("Whoever may decide gets a new link for it; the link before it stops working", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany(yield* TestServer)
      const { decide, link, user } = yield* reviewerOf(company)
      const session = yield* waitingSession(company)
      const none = refusal(409, "Session has no resubmission")
      expect(statusAndBody(yield* link(session))).toEqual(none)
      const first = opened(yield* decide(session, again))
      yield* company.expire(first)

      const renewed = yield* link(session)
      expect(renewed).toMatchObject({ status: 200, body: { session: { id: first.id, status: "created" } } })
      const second = opened(renewed)
      expect(second.id).toBe(first.id)
      expect((yield* company.read(second)).status).toBe(200)
      expect(statusAndBody(yield* company.read(first))).toEqual(refusal(404, "Session not found"))
      const { events } = Object(
        (yield* company.asMember("GET", `/api/audit-events?action=kyc_session.resumed`)).body
      )
      expect(events).toMatchObject([{ actor: { id: user.userId }, resource: { id: first.id } }])

      yield* company.complete(second)
      expect(statusAndBody(yield* link(session))).toEqual(refusal(409, "Session is not updatable"))
    })
  )

  it.effect("Whoever repeats the creation of a session that was resumed was shown its link, too", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany(yield* TestServer, { fourEyes: true })
      const { instance, key, member, server } = company
      const other = yield* reviewerOf(company)
      const create = (token: string) =>
        send(server, "POST", "/api/kyc/public/sessions", {
          headers: { "x-api-key": token, "idempotency-key": "once" },
          json: { instanceId: instance.id }
        })
      const first = opened(yield* create(key.token))
      const resumed = opened(yield* company.asMember("POST", `/api/kyc/sessions/${first.id}/resume`))
      for (let time = 0; time < 2; time++) {
        expect(opened(yield* create(key.token))).toMatchObject({ id: first.id, token: resumed.token })
      }
      const trail = eventsOf(yield* auditEvents(server, member, { resource: first.id }))
      expect(trail.map((event) => text(event, "action"))).toEqual([
        "kyc_session.link_shown",
        "kyc_session.resumed"
      ])
      yield* company.complete(resumed)
      const { body } = yield* other.read(first)
      expect(field(body, "review", "link_shown_to")).toEqual(
        expect.arrayContaining([
          { by: member.userId, email: member.email },
          { by: "api", email: null }
        ])
      )
    })
  )

  it.effect("With four eyes, whoever was shown its link neither decides on it nor claims it", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany(yield* TestServer, { fourEyes: true })
      const { member, server } = company
      const reviewers = yield* Effect.replicateEffect(reviewerOf(company), 4)
      const [one, decided, linked, third] = reviewers as [Reviewer, Reviewer, Reviewer, Reviewer]
      const owner = reviewsAs(server, member)
      const session = yield* waitingSession(company)
      yield* one.decide(session, again)
      const first = opened(yield* decided.decide(session, again))
      const second = opened(yield* linked.link(session))
      for (let time = 0; time < 2; time++) {
        expect((yield* company.asMember("POST", `/api/kyc/sessions/${first.id}/resume`)).status).toBe(200)
      }
      const next = opened(yield* linked.link(session))
      expect([second.id, next.id]).toEqual([first.id, first.id])
      yield* company.complete(next)

      const shown = [decided.user, linked.user, member].map(({ email, userId: by }) => ({ by, email }))
      const { body } = yield* one.read(next)
      expect(field(body, "review", "link_shown_to")).toHaveLength(3)
      expect(field(body, "review", "link_shown_to")).toEqual(expect.arrayContaining(shown))
      expect(field((yield* one.read(session)).body, "review", "link_shown_to")).toEqual([])
      const trail = eventsOf(yield* auditEvents(server, member, { resource: next.id }))
      expect(trail.map((event) => [text(event, "action"), text(event, "actor", "id")])).toEqual([
        ["kyc_session.resumed", linked.user.userId],
        ["kyc_session.resumed", member.userId],
        ["kyc_session.resumed", member.userId],
        ["kyc_session.resumed", linked.user.userId],
        ["kyc_session.link_shown", decided.user.userId]
      ])

      for (const { claim, decide } of [decided, linked, owner]) {
        expect(statusAndBody(yield* decide(next, approve))).toStrictEqual(refused)
        expect(statusAndBody(yield* claim(next))).toStrictEqual(refused)
      }
      // Nor with a key of their own. Whoever was not shown it may use one.
      const byKey = (token: string) =>
        send(server, "POST", `/api/kyc/sessions/${next.id}/review`, {
          headers: { "x-api-key": token },
          json: approve
        })
      expect(statusAndBody(yield* byKey(company.key.token))).toStrictEqual(refused)
      expect(yield* one.decide(next, approve)).toMatchObject({ body: { review: { status: "proposed" } } })
      expect(statusAndBody(yield* decided.decide(next, approve))).toStrictEqual(refused)
      expect(yield* third.decide(next, approve)).toMatchObject({ body: { review: { status: "decided" } } })
    })
  )

  it.effect(
    "With four eyes, a key that was shown its link counts as the person who created it, and as all keys",
    () =>
      Effect.gen(function* () {
        const company = yield* reviewingCompany(yield* TestServer, { fourEyes: true })
        const { key, member, server } = company
        const [one, other] = [yield* reviewerOf(company), yield* reviewerOf(company)]
        const session = yield* waitingSession(company)
        const byKey = ({ id }: { readonly id: string }, token: string, json: unknown) =>
          send(server, "POST", `/api/kyc/sessions/${id}/review`, { headers: { "x-api-key": token }, json })
        yield* one.decide(session, again)
        const next = opened(yield* byKey(session, key.token, again))
        yield* company.complete(next)
        expect((yield* one.read(next)).body).toMatchObject({
          review: { link_shown_to: [{ by: "api", email: null }] }
        })
        expect(eventsOf(yield* auditEvents(server, member, { resource: next.id }))).toMatchObject([
          {
            action: "kyc_session.link_shown",
            actor: { kind: "api_key", id: key.id },
            details: { key_created_by: member.userId }
          }
        ])

        expect(statusAndBody(yield* reviewsAs(server, member).decide(next, approve))).toStrictEqual(refused)
        const others = yield* createKey(server, yield* join(server, member, "owner"))
        expect(statusAndBody(yield* byKey(next, others.token, approve))).toStrictEqual(refused)
        expect((yield* one.decide(next, approve)).status).toBe(200)
        expect(yield* other.decide(next, approve)).toMatchObject({ body: { review: { status: "decided" } } })
      })
  )

  it.effect("With four eyes, nor does who was shown the link of a session whose answers it carries", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany(yield* TestServer, { fourEyes: true })
      const reviewers = yield* Effect.replicateEffect(reviewerOf(company), 3)
      const [one, shown, other] = reviewers as [Reviewer, Reviewer, Reviewer]
      const ask = (step: string) => ({ decision: "resubmission", steps: [step] })
      const first = yield* waitingSession(company)
      yield* one.decide(first, ask("document"))
      const second = opened(yield* shown.decide(first, ask("document")))
      yield* company.complete(second)
      yield* one.decide(second, ask("person"))
      const third = opened(yield* other.decide(second, ask("person")))
      yield* company.complete(third)
      expect(statusAndBody(yield* shown.decide(third, approve))).toStrictEqual(refused)
      expect(field((yield* one.read(third)).body, "review", "link_shown_to")).toHaveLength(2)
    })
  )

  it.effect("Without steps in the workflow, the steps of the page can be named", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany(yield* TestServer)
      const { decide, read } = yield* reviewerOf(company)
      const { id: instanceId } = yield* createInstance(company.server, company.member, {
        config: { review: { mode: "manual" } }
      })
      const session = yield* waitingSession(company, { instanceId })
      expect(field((yield* read(session)).body, "options", "steps")).toStrictEqual([
        { id: "consent", type: "consent" },
        { id: "document", type: "document" },
        { id: "person", type: "form" }
      ])
      const next = opened(yield* decide(session, again))
      expect(field(yield* sessionOf(company, next), "instance_workflow", "steps")).toStrictEqual([
        { id: "document", type: "document", mrz: "off" }
      ])
    })
  )

  it.effect("The new session is not a duplicate of the one before, and no duplicate is lost", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany(yield* TestServer)
      const { decide } = yield* reviewerOf(company)
      const keyHash = (digit: string) => digit.repeat(64)
      const check = ({ path, token }: { readonly path: string; readonly token: string }, hash: string) =>
        company.asMember("POST", `${path}/dedup-check`, { token, keyHash: hash })
      const first = yield* company.newSession()
      yield* check(first, keyHash("a"))
      yield* company.complete(first)
      const next = opened(yield* decide(first, again))
      expect(yield* check(next, keyHash("a"))).toMatchObject({
        status: 200,
        body: { matchFound: false, seenCount: 2, firstSeenAt: anInstant }
      })
      const another = yield* company.newSession()
      expect((yield* check(another, keyHash("a"))).body).toMatchObject({ matchFound: true, seenCount: 3 })
      expect(statusAndBody(yield* check(next, keyHash("a"))).body).toMatchObject({ matchFound: true })
      // The completed session is of the same case.
      const earlier = (session: { readonly id: string }) =>
        Effect.map(sessionOf(company, session), (read) =>
          field(read, "assurance", "dedup", "earlierCompleted")
        )
      expect([yield* earlier(next), yield* earlier(first), yield* earlier(another)]).toEqual([
        false,
        false,
        true
      ])
    })
  )
})
