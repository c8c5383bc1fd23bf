/** Cancelling and resuming sessions by their company. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, send, type TestSession, text } from "../../support/client.ts"
import { samples, upload } from "../../support/kyc/files.ts"
import { claim, claimed, confirm, follow, make, newReceipt } from "../../support/kyc/handoffs.ts"
import { type Company, milliseconds, Partner, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

type Act = "cancel" | "resume"

const byKey = ({ key, server }: Company, to: Act, { id }: TestSession, json: object = {}) =>
  send(server, "POST", `/api/kyc/sessions/${id}/${to}`, { headers: { "x-api-key": key.token }, json })

/** The session by its new link. */
const resumed = (session: TestSession, body: unknown): TestSession => ({
  ...session,
  token: text(body, "sessionToken")
})

const overview = ({ instance, member }: Company, { id }: TestSession, status: string) => ({
  id,
  instance_id: instance.id,
  company_id: member.companyId,
  mode: "prod",
  status,
  external_reference: "customer-42",
  expires_at: anInstant,
  created_at: anInstant,
  started_at: status === "created" ? null : anInstant,
  updated_at: anInstant,
  completed_at: status === "cancelled" ? anInstant : null
})

const notFound = refusal(404, "Session not found")
const notUpdatable = refusal(409, "Session is not updatable")
const expired = refusal(410, "Session expired")

suite(Partner.layer)("POST /api/kyc/sessions/:id/cancel", (it) => {
  it.effect(
    "200: the session is cancelled without its data in the response, and every later step is 409",
    () =>
      Effect.gen(function* () {
        const company = yield* Partner
        const session = yield* company.newSession({ externalReference: "customer-42" })
        yield* company.progress(session, { status: "running", progress: { s_person: { givenName: "Ada" } } })
        const answer = yield* byKey(company, "cancel", session)
        expect(statusAndBody(answer)).toStrictEqual({
          status: 200,
          body: { session: overview(company, session, "cancelled") }
        })
        expect(statusAndBody(yield* company.progress(session, { status: "running" }))).toStrictEqual(
          notUpdatable
        )
        expect(statusAndBody(yield* upload(company.server, session, samples.jpeg))).toStrictEqual(
          notUpdatable
        )
        // The page learns how the session ended, whatever it asks for.
        const ended = yield* company.complete(session, { status: "completed" })
        expect([ended.status, field(ended.body, "session", "status")]).toStrictEqual([200, "cancelled"])
        expect(statusAndBody(yield* byKey(company, "cancel", session))).toStrictEqual(notUpdatable)
        expect(statusAndBody(yield* byKey(company, "resume", session))).toStrictEqual(notUpdatable)
      })
  )

  it.effect("200 for an expired session; 409 for a completed and for a failed one", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      expect((yield* byKey(company, "cancel", yield* company.expiredSession())).status).toBe(200)
      for (const status of ["completed", "failed"]) {
        const session = yield* company.newSession()
        yield* company.complete(session, { status })
        for (const act of ["cancel", "resume"] as const) {
          expect(statusAndBody(yield* byKey(company, act, session))).toStrictEqual(notUpdatable)
        }
      }
    })
  )

  it.effect("an open handoff ends, and its secrets are deleted", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const session = yield* company.newSession()
      const made = yield* make(company, session)
      yield* claimed(company, made, newReceipt())
      yield* byKey(company, "cancel", session)
      const followed = yield* follow(company, session, made.id)
      expect(field(followed.body, "handoff", "status")).toBe("cancelled")
      expect(
        yield* execute(company.server.databaseUrl, "select sealed, code from kyc_handoffs where id = $1", [
          made.id
        ])
      ).toStrictEqual([{ sealed: null, code: null }])
      expect(statusAndBody(yield* claim(company, made, newReceipt()))).toStrictEqual(notUpdatable)
    })
  )

  it.effect("against a completion at the same time: one of the two wins", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      for (let round = 0; round < 10; round++) {
        const session = yield* company.newSession()
        const [cancelled, completed] = yield* Effect.all(
          [
            byKey(company, "cancel", session),
            company.complete(session, { result: { outcome: "submitted" } })
          ],
          { concurrency: "unbounded" }
        )
        const read = yield* company.asPartner(`/api/kyc/sessions/${session.id}`)
        const status = text(read.body, "session", "status")
        expect(field(completed.body, "session", "status")).toBe(status)
        expect([status, cancelled.status]).toBeOneOf([
          ["cancelled", 200],
          ["completed", 409]
        ])
      }
    })
  )

  it.effect("of several at the same time, one cancels", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const session = yield* company.newSession()
      const cancelled = byKey(company, "cancel", session)
      const answers = yield* Effect.replicateEffect(cancelled, 3, { concurrency: "unbounded" })
      expect(answers.map(({ status }) => status).sort()).toStrictEqual([200, 409, 409])
    })
  )
})

suite(Partner.layer)("POST /api/kyc/sessions/:id/resume", (it) => {
  it.effect("200: a new link continues where the end user stopped, and the old token is dead", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const session = yield* company.newSession({ externalReference: "customer-42" })
      yield* company.progress(session, { status: "running", progress: { s_person: { givenName: "Ada" } } })
      const made = yield* make(company, session)
      const receipt = newReceipt()
      const code = yield* claimed(company, made, receipt)
      const before = yield* company.read(session)
      const answer = yield* byKey(company, "resume", session)
      const { token } = resumed(session, answer.body)
      expect(statusAndBody(answer)).toStrictEqual({
        status: 200,
        body: {
          session: overview(company, session, "running"),
          verificationUrl: expect.toSatisfy((url: string) =>
            url.endsWith(`/kyc/session/${session.id}?token=${token}`)
          ),
          sessionToken: expect.stringMatching(/^kyc_sess_[0-9A-Za-z]{49}$/)
        }
      })
      expect(text(answer.body, "session", "expires_at")).toBe(text(before.body, "session", "expires_at"))
      expect(token).not.toBe(session.token)

      const old = [
        yield* company.read(session),
        yield* company.progress(session, { progress: { a: 1 } }),
        yield* company.complete(session),
        yield* upload(company.server, session, samples.jpeg),
        yield* follow(company, session, made.id)
      ]
      for (const refused of old) expect(statusAndBody(refused)).toStrictEqual(notFound)
      expect(statusAndBody(yield* confirm(company, made, receipt, code))).toStrictEqual(
        refusal(410, "Handoff cancelled")
      )

      const now = { ...session, token }
      const read = yield* company.read(now)
      expect(field(read.body, "session", "progress")).toStrictEqual({ s_person: { givenName: "Ada" } })
      expect((yield* company.complete(now)).status).toBe(200)
    })
  )

  it.effect(
    "`expiresInSeconds` starts the time anew, also of an expired session, which is 410 without it",
    () =>
      Effect.gen(function* () {
        const company = yield* Partner
        const session = yield* company.expiredSession()
        expect(statusAndBody(yield* byKey(company, "resume", session))).toStrictEqual(expired)
        const answer = yield* byKey(company, "resume", session, { expiresInSeconds: 600 })
        expect(answer.status).toBe(200)
        expect(
          milliseconds(answer.body, "session", "expires_at") -
            milliseconds(answer.body, "session", "updated_at")
        ).toBe(600_000)
        expect((yield* company.read(resumed(session, answer.body))).status).toBe(200)
      })
  )

  it.effect("of several at the same time, exactly one link works in the end", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const session = yield* company.newSession()
      const answers = yield* Effect.all(
        [1, 2, 3].map(() => byKey(company, "resume", session)),
        { concurrency: "unbounded" }
      )
      const reads = yield* Effect.forEach(answers, ({ body }) => company.read(resumed(session, body)))
      expect(reads.map(({ status }) => status).sort()).toStrictEqual([200, 404, 404])
    })
  )
})
