import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { connect } from "../../../src/db/connection.ts"
import { mostNotes } from "../../../src/kyc/reviews/model.ts"
import { auditEvents, eventsOf } from "../../support/audit/trail.ts"
import { createKey, field, join, send, text } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { type Company, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { reviewerOf, reviewingCompany, reviewsAs, waitingSession } from "../../support/kyc/reviews.ts"
import { execute } from "../../support/postgres.ts"
import { startServer, TestServer } from "../../support/server.ts"
import { anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const newCompany = (review: object = {}) =>
  Effect.flatMap(TestServer, (server) => reviewingCompany(server, review))

const sessionOf = (company: Company, { id }: { readonly id: string }) =>
  Effect.map(company.asPartner(`/api/kyc/sessions/${id}`), ({ body }) => field(body, "session"))

const byKey = ({ key, server }: Company, { id }: { readonly id: string }, json: unknown, token = key.token) =>
  send(server, "POST", `/api/kyc/sessions/${id}/review`, { headers: { "x-api-key": token }, json })

const undecided = { status: "pending", decision: null, reasons: [], decided_at: null, decided_by: null }

const refused = refusal(403, "Another person has to confirm")
const approve = { decision: "approved" }

suite(TestServer.layer)("A decision on a session", (it) => {
  it.effect("A completed session waits for a decision, and the partner reads it", () =>
    Effect.gen(function* () {
      const company = yield* newCompany()
      const open = yield* company.newSession()
      expect(yield* sessionOf(company, open)).toMatchObject({
        review: null,
        previous_session_id: null,
        next_session_id: null
      })
      const failed = yield* company.newSession()
      yield* company.complete(failed, { status: "failed" })
      expect(yield* sessionOf(company, failed)).toMatchObject({ status: "failed", review: null })

      const session = yield* waitingSession(company, { externalReference: "customer-42" })
      yield* company.complete(session)
      expect(yield* sessionOf(company, session)).toMatchObject({ status: "completed", review: undecided })
      const reviewer = yield* reviewerOf(company)
      const read = yield* reviewer.read(session)
      expect(statusAndBody(read)).toStrictEqual({
        status: 200,
        body: {
          review: {
            session_id: session.id,
            instance_id: company.instance.id,
            instance_name: "test",
            mode: "prod",
            external_reference: "customer-42",
            flags: ["steps_missing"],
            failed_rules: [],
            ...undecided,
            decided_by_email: null,
            waiting_since: field(yield* sessionOf(company, session), "completed_at"),
            claim: null,
            proposal: null,
            previous_session_id: null,
            next_session_id: null,
            link_shown_to: []
          },
          options: {
            four_eyes: false,
            reasons: expect.arrayContaining([{ code: "face_mismatch", text: expect.any(String) }]),
            steps: [
              { id: "person", type: "form" },
              { id: "document", type: "document" }
            ]
          }
        }
      })
      expect(yield* reviewer.read(open)).toMatchObject({ status: 200, body: { review: null } })

      const decided = {
        status: "decided",
        decision: "declined",
        reasons: ["face_mismatch", "other"],
        decided_at: anInstant,
        decided_by: reviewer.user.userId
      }
      const answer = yield* reviewer.decide(session, {
        decision: "declined",
        reasons: ["face_mismatch", "other"],
        note: " Another person "
      })
      expect(statusAndBody(answer)).toStrictEqual({
        status: 200,
        body: {
          review: {
            ...Object(field(read.body, "review")),
            ...decided,
            decided_by_email: reviewer.user.email
          }
        }
      })
      expect(yield* sessionOf(company, session)).toMatchObject({ review: decided, next_session_id: null })
      const listed = yield* company.asPartner("/api/kyc/sessions")
      expect(field(listed.body, "sessions", 0, "review")).toStrictEqual(decided)

      const notes = yield* reviewer.ask("GET", `/api/kyc/sessions/${session.id}/notes`)
      expect(field(notes.body, "notes")).toMatchObject([
        { text: "Another person", written_by: reviewer.user.userId, written_by_email: reviewer.user.email }
      ])
    })
  )

  it.effect("In the mode none, no session is reviewed", () =>
    Effect.gen(function* () {
      const company = yield* newCompany({ mode: "none" })
      const session = yield* waitingSession(company)
      expect(yield* sessionOf(company, session)).toMatchObject({ status: "completed", review: null })
      const { decide } = reviewsAs(company.server, company.member)
      expect(statusAndBody(yield* decide(session, approve))).toStrictEqual(
        refusal(409, "Session is not reviewable")
      )
    })
  )

  it.effect("A platform key with its scope decides as `api`", () =>
    Effect.gen(function* () {
      const company = yield* newCompany()
      const session = yield* waitingSession(company)
      // A claim keeps out other users, but no key.
      yield* (yield* reviewerOf(company)).claim(session)
      const answer = yield* byKey(company, session, { decision: "approved", note: "Checked by the ledger" })
      expect(answer).toMatchObject({
        status: 200,
        body: { review: { status: "decided", decision: "approved", decided_by: "api", claim: null } }
      })
      expect(
        field((yield* company.asPartner(`/api/kyc/sessions/${session.id}/notes`)).body, "notes")
      ).toMatchObject([{ text: "Checked by the ledger", written_by: "api", written_by_email: null }])
      expect(statusAndBody(yield* byKey(company, session, approve))).toStrictEqual(
        refusal(409, "Session is already decided")
      )
    })
  )

  it.effect("With four eyes, another person's decision confirms the first", () =>
    Effect.gen(function* () {
      const company = yield* newCompany({ fourEyes: true })
      const [first, second] = [yield* reviewerOf(company), yield* reviewerOf(company)]
      const session = yield* waitingSession(company)
      yield* first.claim(session)
      const proposed = yield* first.decide(session, { decision: "declined", reasons: ["other"] })
      expect(proposed).toMatchObject({
        status: 200,
        body: {
          review: {
            ...undecided,
            status: "proposed",
            claim: null,
            proposal: {
              decision: "declined",
              reasons: ["other"],
              steps: [],
              proposed_at: anInstant,
              proposed_by: first.user.userId,
              proposed_by_email: first.user.email
            }
          }
        }
      })
      expect(yield* sessionOf(company, session)).toMatchObject({
        review: { ...undecided, status: "proposed" }
      })
      expect(statusAndBody(yield* first.decide(session, { decision: "declined" }))).toStrictEqual(refused)
      expect(statusAndBody(yield* first.claim(session))).toStrictEqual(refused)
      expect((yield* second.claim(session)).status).toBe(200)
      expect(yield* second.decide(session, { decision: "declined", reasons: ["other"] })).toMatchObject({
        status: 200,
        body: { review: { status: "decided", decided_by: second.user.userId } }
      })
      const timeline = yield* first.ask("GET", `/api/kyc/sessions/${session.id}/timeline`)
      expect(Object(field(timeline.body, "events")).slice(-2)).toStrictEqual([
        { type: "review_proposed", at: anInstant, decision: "declined", by: first.user.userId },
        { type: "reviewed", at: anInstant, decision: "declined", by: second.user.userId }
      ])
    })
  )

  it.effect("With four eyes, a different decision replaces the proposal, until two people agree", () =>
    Effect.gen(function* () {
      const company = yield* newCompany({ fourEyes: true })
      const [one, other] = [yield* reviewerOf(company), yield* reviewerOf(company)]
      const decline = { decision: "declined", reasons: ["other"] }
      const askFor = (...steps: ReadonlyArray<string>) => ({ decision: "resubmission", steps })
      for (const [first, second, confirmed] of [
        [approve, decline, decline],
        [askFor("document"), decline, { decision: "declined", reasons: ["face_mismatch"] }],
        [askFor("document"), askFor("document", "person"), askFor("person", "document")]
      ] as const) {
        const session = yield* waitingSession(company)
        expect((yield* one.decide(session, first)).status).toBe(200)
        const replaced = yield* other.decide(session, second)
        expect(replaced, `${first.decision}, then ${second.decision}`).toMatchObject({
          status: 200,
          body: {
            review: {
              ...undecided,
              status: "proposed",
              proposal: { decision: second.decision, proposed_by: other.user.userId },
              next_session_id: null
            }
          }
        })
        expect(statusAndBody(yield* other.decide(session, confirmed))).toStrictEqual(refused)
        expect(statusAndBody(yield* other.decide(session, first))).toStrictEqual(refused)
        expect(yield* one.decide(session, confirmed)).toMatchObject({
          status: 200,
          body: {
            review: {
              status: "decided",
              decision: confirmed.decision,
              reasons: "reasons" in confirmed ? confirmed.reasons : [],
              decided_by: one.user.userId
            }
          }
        })
        expect(statusAndBody(yield* other.decide(session, second))).toStrictEqual(
          refusal(409, "Session is already decided")
        )
        const timeline = yield* one.ask("GET", `/api/kyc/sessions/${session.id}/timeline`)
        expect(Object(field(timeline.body, "events")).slice(-2)).toStrictEqual([
          { type: "review_proposed", at: anInstant, decision: second.decision, by: other.user.userId },
          { type: "reviewed", at: anInstant, decision: confirmed.decision, by: one.user.userId }
        ])
      }
    })
  )

  it.effect("With four eyes, a key counts as the person who created it", () =>
    Effect.gen(function* () {
      const company = yield* newCompany({ fourEyes: true })
      const { member, server } = company
      const owner = reviewsAs(server, member)

      // Whoever proposes cannot confirm with a key that they create afterwards.
      const session = yield* waitingSession(company)
      expect((yield* owner.decide(session, approve)).status).toBe(200)
      const { token } = yield* createKey(server, member)
      expect(statusAndBody(yield* byKey(company, session, approve, token))).toStrictEqual(refused)
      // A key that the operator created, or whose creator is unknown, is no other person.
      const operators = yield* createKey(server, member)
      yield* execute(server.databaseUrl, "update api_keys set created_by = null where id = $1", [
        operators.id
      ])
      expect(statusAndBody(yield* byKey(company, session, approve, operators.token))).toStrictEqual(refused)
      // The key of another person confirms, and the audit trail says whose it is.
      const other = yield* join(server, member, "owner")
      const theirs = yield* createKey(server, other)
      const become = (role: string) =>
        execute(server.databaseUrl, "update users set role = $2 where id = $1", [other.userId, role])
      yield* become("viewer")
      expect(statusAndBody(yield* byKey(company, session, approve, theirs.token))).toStrictEqual(refused)
      yield* become("owner")
      expect((yield* byKey(company, session, approve, theirs.token)).status).toBe(200)
      const [event] = eventsOf(yield* auditEvents(server, member, { action: "kyc_session.reviewed" }))
      expect(event).toMatchObject({
        actor: { kind: "api_key", id: theirs.id },
        details: { decision: "approved", key_created_by: other.userId }
      })

      // Nor does a person confirm what their own key has proposed.
      const automatic = yield* waitingSession(company)
      expect((yield* byKey(company, automatic, approve, token)).status).toBe(200)
      expect(statusAndBody(yield* owner.decide(automatic, approve))).toStrictEqual(refused)
      expect(statusAndBody(yield* owner.claim(automatic))).toStrictEqual(refused)
      // Nor does a key confirm what another one has proposed.
      expect(statusAndBody(yield* byKey(company, automatic, approve, theirs.token))).toStrictEqual(refused)
      expect((yield* reviewsAs(server, other).decide(automatic, approve)).status).toBe(200)
    })
  )

  it.effect("Of many decisions at once, exactly one wins", () =>
    Effect.gen(function* () {
      const company = yield* newCompany()
      const [one, other] = [yield* reviewerOf(company), yield* reviewerOf(company)]
      const session = yield* waitingSession(company)
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, (_, index) =>
          index % 2 === 0
            ? one.decide(session, { decision: "approved", note: "Good" })
            : other.decide(session, { decision: "resubmission", steps: ["document"], note: "Blurred" })
        ),
        { concurrency: "unbounded" }
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([
        200,
        ...Array.from({ length: 9 }, () => 409)
      ])
      const decided = field(answers.find(({ status }) => status === 200)?.body, "review", "decision")
      expect(yield* sessionOf(company, session)).toMatchObject({ review: { decision: decided } })
      // What lost left nothing behind.
      const notes = yield* one.ask("GET", `/api/kyc/sessions/${session.id}/notes`)
      expect(field(notes.body, "notes")).toHaveLength(1)
      const all = yield* company.asPartner("/api/kyc/sessions")
      expect(field(all.body, "sessions")).toHaveLength(decided === "resubmission" ? 2 : 1)
    })
  )

  it.effect("What is refused: 400, 409", () =>
    Effect.gen(function* () {
      const company = yield* newCompany({ reasons: [{ code: "BLURRED", text: "Blurred" }] })
      const { decide } = yield* reviewerOf(company)
      const session = yield* waitingSession(company)
      const steps = "steps must name steps of the session's workflow"
      for (const [json, message] of [
        [{ ...approve, reasons: ["other"] }, "reasons must be codes of the instance's review reasons"],
        [{ decision: "resubmission", steps: [] }, steps],
        [{ decision: "resubmission", steps: ["document", "nowhere"] }, steps]
      ] as const) {
        expect(statusAndBody(yield* decide(session, json))).toStrictEqual(refusal(400, message))
      }
      expect(statusAndBody(yield* decide(yield* company.newSession(), approve))).toStrictEqual(
        refusal(409, "Session is not reviewable")
      )
      expect(yield* sessionOf(company, session)).toMatchObject({ review: undecided })
    })
  )
})

suite(TestServer.layer)("A claim on a session", (it) => {
  it.effect("One reviewer has it, renews it, and gives it up", () =>
    Effect.gen(function* () {
      const company = yield* newCompany()
      const [one, other] = [yield* reviewerOf(company), yield* reviewerOf(company)]
      const session = yield* waitingSession(company)
      const taken = refusal(409, "Session is being reviewed by somebody else")

      const claimed = yield* one.claim(session)
      const claim = { user_id: one.user.userId, email: one.user.email, until: anInstant }
      expect(claimed).toMatchObject({ status: 200, body: { review: { claim } } })
      expect((yield* other.read(session)).body).toMatchObject({ review: { claim } })
      const refused = yield* other.claim(session)
      expect(statusAndBody(refused)).toStrictEqual(taken)
      expect(refused.headers.get("doorlock-reviewer")).toBe(one.user.userId)
      expect(statusAndBody(yield* other.release(session))).toStrictEqual(taken)
      expect(statusAndBody(yield* other.decide(session, approve))).toStrictEqual(taken)

      const endSoon = (seconds: number) =>
        execute(
          company.server.databaseUrl,
          "update kyc_reviews set claimed_until = now() + make_interval(secs => $2) where session_id = $1",
          [session.id, seconds]
        )
      yield* endSoon(60)
      const renewed = yield* one.claim(session)
      expect(Date.parse(text(renewed.body, "review", "claim", "until"))).toBeGreaterThanOrEqual(
        Date.parse(text(claimed.body, "review", "claim", "until"))
      )
      expect(yield* one.release(session)).toMatchObject({ status: 200, body: { review: { claim: null } } })
      expect((yield* one.release(session)).status).toBe(200)
      expect((yield* other.claim(session)).status).toBe(200)

      // A claim ends by itself.
      yield* endSoon(-1)
      expect((yield* one.read(session)).body).toMatchObject({ review: { claim: null } })
      expect((yield* one.claim(session)).status).toBe(200)
      expect((yield* one.decide(session, approve)).status).toBe(200)
      const decided = refusal(409, "Session is already decided")
      expect(statusAndBody(yield* other.claim(session))).toStrictEqual(decided)
      expect(statusAndBody(yield* one.release(session))).toStrictEqual(decided)
    })
  )

  it.effect("A reviewer who is removed while deciding has decided before, or not at all", () =>
    Effect.gen(function* () {
      const company = yield* newCompany()
      for (let time = 0; time < 4; time++) {
        const reviewer = yield* reviewerOf(company)
        const session = yield* waitingSession(company)
        const [decided] = yield* Effect.all(
          [
            reviewer.decide(session, { decision: "approved", note: "Good" }),
            company.asMember("POST", `/api/members/${reviewer.user.userId}/remove`)
          ],
          { concurrency: "unbounded" }
        )
        expect([200, 401, 403]).toContain(decided.status)
        const trail = eventsOf(yield* auditEvents(company.server, company.member))
        const [last, before] = trail.map((event) => text(event, "action"))
        expect(last).toBe("member.removed")
        expect(before === "kyc_session.reviewed").toBe(decided.status === 200)
      }
    })
  )

  it.effect("A reviewer who is removed, or may no longer review, loses the claim", () =>
    Effect.gen(function* () {
      const company = yield* newCompany({ fourEyes: true })
      const [gone, demoted, left] = [
        yield* reviewerOf(company),
        yield* reviewerOf(company),
        yield* reviewerOf(company)
      ]
      const [one, two] = [yield* waitingSession(company), yield* waitingSession(company)]
      yield* gone.decide(two, approve)
      yield* gone.claim(one)
      yield* company.asMember("POST", `/api/members/${gone.user.userId}/remove`)
      expect((yield* gone.decide(one, approve)).status).toBe(401)
      expect((yield* demoted.claim(one)).status).toBe(200)
      yield* company.asMember("PATCH", `/api/members/${demoted.user.userId}`, { role: "viewer" })
      expect((yield* demoted.decide(one, approve)).status).toBe(403)
      expect((yield* left.read(one)).body).toMatchObject({ review: { claim: null } })
      for (const { user } of [gone, demoted]) {
        const claimed = yield* left.ask("GET", `/api/kyc/reviews?reviewer=${user.userId}`)
        expect(claimed.body).toMatchObject({ reviews: [] })
      }
      expect((yield* left.claim(one)).status).toBe(200)
      // The proposal of somebody who was removed still stands.
      expect((yield* left.read(two)).body).toMatchObject({
        review: { proposal: { proposed_by: gone.user.userId, proposed_by_email: null } }
      })
      expect((yield* left.decide(two, approve)).status).toBe(200)
    })
  )

  it.effect("without the session's key, only what needs it is 409: a note, and a resubmission", () =>
    Effect.gen(function* () {
      const company = yield* newCompany()
      const session = yield* waitingSession(company)
      yield* execute(company.server.databaseUrl, "delete from kyc_session_keys where session_id = $1", [
        session.id
      ])
      const { decide } = yield* reviewerOf(company)
      for (const json of [
        { decision: "declined", note: "Unreadable" },
        { decision: "resubmission", steps: ["document"] }
      ]) {
        expect(statusAndBody(yield* decide(session, json))).toStrictEqual(
          refusal(409, "Session is not reviewable")
        )
      }
      expect(yield* decide(session, { decision: "declined" })).toMatchObject({
        status: 200,
        body: { review: { status: "decided", decision: "declined" } }
      })
    })
  )
})

it.scopedLive("An act whose session is redacted before its answer is read is 409", () =>
  Effect.gen(function* () {
    const server = yield* startServer()
    const company = yield* reviewingCompany(server, { fourEyes: true })
    const reviewer = yield* reviewerOf(company)
    const holder = yield* connect(server.databaseUrl)
    const run = (statement: string) => Effect.promise(() => holder.query(statement))
    const acts: ReadonlyArray<typeof reviewer.claim> = [
      reviewer.claim,
      reviewer.release,
      (session) => reviewer.decide(session, approve)
    ]
    for (const act of acts) {
      const session = yield* waitingSession(company)
      // The acts read no instance, but the read after them does.
      yield* run("begin; lock table kyc_instances in access exclusive mode")
      const answer = yield* Effect.fork(act(session))
      yield* eventually(
        "the read waits",
        Effect.map(
          run("select from pg_locks where relation = 'kyc_instances'::regclass and not granted"),
          ({ rowCount }) => rowCount === 1
        )
      )
      expect((yield* company.asMember("POST", `/api/kyc/sessions/${session.id}/redact`)).status).toBe(200)
      yield* run("rollback")
      expect(statusAndBody(yield* Fiber.join(answer))).toStrictEqual(
        refusal(409, "Session is not reviewable")
      )
    }
  })
)

suite(TestServer.layer)("The notes of a session", (it) => {
  it.effect("are so few that they can be read at once, but a decision may always have one", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const company = yield* reviewingCompany(server)
      const session = yield* waitingSession(company)
      const path = `/api/kyc/sessions/${session.id}`
      const add = company.asMember("POST", `${path}/notes`, { text: "Called" })
      yield* execute(
        server.databaseUrl,
        `insert into kyc_session_notes (id, session_id, company_id, text, written_by)
         select gen_random_uuid(), $1, $2, 'Called', 'api' from generate_series(1, $3::int)`,
        [session.id, company.member.companyId, mostNotes - 1]
      )
      expect((yield* add).status).toBe(201)
      expect(statusAndBody(yield* add)).toStrictEqual(refusal(429, "Too many notes"))
      const decided = yield* company.asMember("POST", `${path}/review`, {
        decision: "approved",
        note: "Fine"
      })
      expect(decided.status).toBe(200)
    })
  )
})
