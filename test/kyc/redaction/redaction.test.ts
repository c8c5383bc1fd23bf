/** POST /api/kyc/sessions/:id/redact (docs/privacy.md#redaction). */
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, send, type TestSession, text } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { check, newKeyHash, seen as seenHash } from "../../support/kyc/dedup.ts"
import { filesBelow, Given, samples, upload } from "../../support/kyc/files.ts"
import { type Company, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { reviewingCompany, waitingSession } from "../../support/kyc/reviews.ts"
import { execute } from "../../support/postgres.ts"
import { anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

/** A session with data in each field, and a file with a copy. */
const filled = (company: Company) =>
  Effect.gen(function* () {
    const session = yield* company.newSession({
      metadata: { plan: "gold" },
      successRedirectUrl: "https://partner.example/customers/ada"
    })
    yield* company.progress(session, { progress: { s_person: { givenName: "Ada" } }, status: "running" })
    const { body } = yield* upload(company.server, session, samples.png)
    return { ...session, file: text(body, "file", "id") }
  })

const redact = ({ key, server }: Company, { id }: Pick<TestSession, "id">, token = key.token) =>
  send(server, "POST", `/api/kyc/sessions/${id}/redact`, { headers: { "x-api-key": token } })

const redacted = { redacted_at: anInstant, progress: null, result: null, metadata: null }

/** What the database has of the session besides its own row. */
const rowsOf = ({ server }: Company, { id }: Pick<TestSession, "id">) =>
  Effect.map(
    execute(
      server.databaseUrl,
      `select (select count(*)::int from kyc_session_keys where session_id = $1) as keys,
         (select count(*)::int from kyc_files where session_id = $1) as files,
         (select count(*)::int from kyc_handoffs where session_id = $1) as handoffs,
         (select count(*)::int from kyc_session_notes where session_id = $1) as notes,
         (select count(*)::int from kyc_checks where session_id = $1) as checks,
         (select count(*)::int from kyc_readings where session_id = $1) as readings,
         (select count(*)::int from kyc_reviews where session_id = $1 and status <> 'decided') as reviews,
         success_redirect_url from kyc_sessions where id = $1`,
      [id]
    ),
    ([row]) => row
  )

const nothing = {
  keys: 0,
  files: 0,
  checks: 0,
  readings: 0,
  handoffs: 0,
  notes: 0,
  reviews: 0,
  success_redirect_url: null
}

suite(Given.layer)("Redaction", (it) => {
  it.effect("200, also again: the data is gone, and what is left says that there was a session", () =>
    Effect.gen(function* () {
      const given = yield* Given
      const session = yield* filled(given)
      yield* given.complete(session, { result: { outcome: "submitted" } })
      const stored = () =>
        filesBelow(join(given.dataDir, "files")).filter((path) => path.includes(session.file))
      expect(stored()).toHaveLength(2)
      const path = `/api/kyc/sessions/${session.id}`
      for (let time = 0; time < 2; time++) {
        expect(statusAndBody(yield* redact(given, session))).toStrictEqual({
          status: 200,
          body: { ok: true }
        })
        const { body } = yield* given.asPartner(path)
        expect(field(body, "session")).toMatchObject({
          ...redacted,
          id: session.id,
          status: "completed",
          completed_at: anInstant,
          assurance: { requiredStepsPresent: false, missingSteps: [] }
        })
        expect(field((yield* given.read(session)).body, "session")).toMatchObject(redacted)
        // A receipt would say that nothing was handed over.
        const receipt = yield* send(given.server, "POST", `/api/kyc/public/sessions/${session.id}/receipt`, {
          json: { token: session.token }
        })
        expect(statusAndBody(receipt)).toStrictEqual(refusal(410, "Session expired"))
        expect((yield* given.asPartner(`${path}/files`)).body).toEqual({ files: [] })
        expect(statusAndBody(yield* given.asPartner(`${path}/files/${session.file}`))).toStrictEqual(
          refusal(404, "File not found")
        )
        expect(yield* rowsOf(given, session)).toEqual(nothing)
      }
      yield* eventually("the contents of the files are deleted", () => stored().length === 0)
      const { body } = yield* given.asPartner(`${path}/timeline`)
      expect(JSON.stringify(body)).not.toContain("person")
      expect([field(body, "events")].flat().at(-1)).toEqual({ type: "redacted", at: anInstant })
      const audit = yield* given.asMember("GET", `/api/audit-events?resource=${session.id}`)
      expect(field(audit.body, "events")).toHaveLength(1)
    })
  )

  it.effect("a session that is open ends as cancelled, and takes nothing more", () =>
    Effect.gen(function* () {
      const given = yield* Given
      const session = yield* filled(given)
      expect((yield* given.asMember("POST", `/api/kyc/sessions/${session.id}/redact`)).status).toBe(200)
      expect(field((yield* given.read(session)).body, "session")).toMatchObject({
        ...redacted,
        status: "cancelled"
      })
      const closed = refusal(409, "Session is not updatable")
      expect(statusAndBody(yield* given.progress(session, { progress: { s_more: 1 } }))).toStrictEqual(closed)
      expect(statusAndBody(yield* upload(given.server, session, samples.png))).toStrictEqual(closed)
      expect((yield* given.complete(session, { result: 1 })).body).toMatchObject({
        session: { status: "cancelled" }
      })
      expect(yield* rowsOf(given, session)).toEqual(nothing)
      expect(field((yield* given.read(session)).body, "session")).toMatchObject(redacted)
    })
  )

  it.effect(
    "a completed session takes no dedup check: nothing is counted, and the next session does not match",
    () =>
      Effect.gen(function* () {
        const given = yield* Given
        const [session, next] = [yield* given.newSession(), yield* given.newSession()]
        yield* given.complete(session)
        expect((yield* redact(given, session)).status).toBe(200)
        const keyHash = newKeyHash()
        expect(statusAndBody(yield* check(given, session, keyHash))).toStrictEqual(
          refusal(409, "Session is not updatable")
        )
        expect(statusAndBody(yield* check(given, next, keyHash))).toStrictEqual(seenHash(1, next))
      })
  )

  it.effect("notes and a waiting review go as well, a decision stays; nobody goes on with the session", () =>
    Effect.gen(function* () {
      const given = yield* reviewingCompany((yield* Given).server)
      const at = ({ id }: TestSession) => `/api/kyc/sessions/${id}`
      const noted = (session: TestSession, note = "Called her bank") =>
        given.asMember("POST", `${at(session)}/notes`, { text: note })
      const approve = (session: TestSession) =>
        given.asMember("POST", `${at(session)}/review`, { decision: "approved", note: "Looks right" })
      const seen = (session: TestSession) =>
        Effect.map(given.asPartner(at(session)), ({ body }) => field(body, "session"))
      const waiting = yield* waitingSession(given)
      const decided = yield* waitingSession(given)
      const expired = yield* filled(given)
      expect((yield* approve(decided)).status).toBe(200)
      yield* given.expire(expired)
      for (const session of [waiting, decided, expired]) {
        expect((yield* noted(session)).status).toBe(201)
        expect((yield* redact(given, session)).status).toBe(200)
        expect(yield* rowsOf(given, session)).toEqual(nothing)
        expect((yield* given.asMember("GET", `${at(session)}/notes`)).body).toEqual({ notes: [] })
        for (const answer of [
          yield* noted(session),
          yield* given.asMember("POST", `${at(session)}/resume`, { expiresInSeconds: 3600 }),
          yield* given.asMember("POST", `${at(session)}/cancel`)
        ]) {
          expect(statusAndBody(answer)).toStrictEqual(refusal(409, "Session is not updatable"))
        }
        expect(statusAndBody(yield* approve(session))).toStrictEqual(
          refusal(409, "Session is not reviewable")
        )
        expect(statusAndBody(yield* given.asMember("POST", `${at(session)}/review/claim`))).toStrictEqual(
          refusal(409, "Session is not reviewable")
        )
      }
      expect(yield* seen(waiting)).toMatchObject({ ...redacted, status: "completed", review: null })
      expect(yield* seen(decided)).toMatchObject({ ...redacted, review: { decision: "approved" } })
      expect(yield* seen(expired)).toMatchObject({ ...redacted, status: "running", review: null })
    })
  )

  it.effect("while the browser still sends, and a note is written: both are refused or destroyed", () =>
    Effect.gen(function* () {
      const given = yield* Given
      for (let round = 0; round < 3; round++) {
        const session = yield* filled(given)
        const [answers] = yield* Effect.all(
          [
            Effect.all(
              Array.from({ length: 4 }, (_, i) => [
                upload(given.server, session, samples.png),
                given.progress(session, { progress: { [`k${i}`]: i } }),
                given.asMember("POST", `/api/kyc/sessions/${session.id}/notes`, { text: "Called her bank" })
              ]).flat(),
              { concurrency: "unbounded" }
            ),
            redact(given, session)
          ],
          { concurrency: "unbounded" }
        )
        for (const { status } of answers) expect([200, 201, 409]).toContain(status)
        expect(field((yield* given.read(session)).body, "session")).toMatchObject(redacted)
        expect(yield* rowsOf(given, session)).toEqual(nothing)
        yield* eventually(
          "nothing is stored of the session",
          Effect.map(
            execute(given.server.databaseUrl, "select from kyc_file_uploads where session_id = $1", [
              session.id
            ]),
            ({ length }) => length === 0
          )
        )
      }
      yield* eventually(
        "no content is left without a file",
        Effect.map(execute(given.server.databaseUrl, "select id from kyc_files"), (files) => {
          const ids = files.map((row) => text(row, "id"))
          return filesBelow(join(given.dataDir, "files")).every((path) => ids.some((id) => path.includes(id)))
        })
      )
    })
  )
})
