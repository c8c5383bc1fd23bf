import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, type TestSession } from "../../support/client.ts"
import { type Company, Partner, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { suite } from "../../support/suite.ts"

const marked = "marked-7f3a"
const data = {
  metadata: { plan: `${marked} metadata` },
  progress: {
    s_person: { givenName: `${marked} given`, numbers: [1, 2.5, 1e21] },
    "": `${marked} empty key`
  },
  result: [{ note: `${marked} result` }, null, "ü"]
}

/** A session with personal data in each field. */
const filled = ({ complete, newSession, progress }: Company) =>
  Effect.gen(function* () {
    const session = yield* newSession({ metadata: data.metadata })
    expect((yield* progress(session, { progress: data.progress })).status).toBe(200)
    expect((yield* complete(session, { result: data.result })).status).toBe(200)
    return session
  })

const dataOf = (body: unknown) => ({
  metadata: field(body, "session", "metadata"),
  progress: field(body, "session", "progress"),
  result: field(body, "session", "result")
})

const rowOf = ({ server }: Company, { id }: TestSession) =>
  Effect.map(
    execute(
      server.databaseUrl,
      "select s::text || coalesce(k::text, '') as row, sealed, k.session_id is not null as has_key from kyc_sessions s left join kyc_session_keys k on k.session_id = s.id where id = $1",
      [id]
    ),
    ([row]) => row
  )

suite(Partner.layer)("Personal data of a session at rest", (it) => {
  it.effect("is sealed in its columns; the names of progress are not, so that it merges", () =>
    Effect.gen(function* () {
      const partner = yield* Partner
      const session = yield* filled(partner)
      const row = yield* rowOf(partner, session)
      expect(String(field(row, "row"))).toContain("s_person")
      expect(String(field(row, "row"))).not.toContain(marked)
      expect(row).toMatchObject({ sealed: true, has_key: true })
      for (const { body } of [
        yield* partner.read(session),
        yield* partner.asPartner(`/api/kyc/sessions/${session.id}`)
      ]) {
        expect(dataOf(body)).toStrictEqual(data)
      }
    })
  )

  for (const [what, change] of [
    [
      "a value under another name",
      `update kyc_sessions set progress = progress || jsonb_build_object('s_person', progress -> '') where id = $1`
    ],
    [
      "the key of another session",
      `update kyc_session_keys k set sealed_key = o.sealed_key from kyc_session_keys o
       where k.session_id = $1 and o.session_id = $2`
    ],
    [
      "a key of an unknown SECRET_KEY",
      "update kyc_session_keys set sealed_with = 'another' where session_id = $1"
    ]
  ] as const) {
    it.effect(
      `${what} does not open: 500, and nothing of it is shown; lists have the session without data`,
      () =>
        Effect.gen(function* () {
          const partner = yield* Partner
          const [session, other] = [yield* filled(partner), yield* filled(partner)]
          yield* execute(
            partner.server.databaseUrl,
            change,
            change.includes("$2") ? [session.id, other.id] : [session.id]
          )
          expect(statusAndBody(yield* partner.asPartner(`/api/kyc/sessions/${session.id}`))).toStrictEqual(
            refusal(500, "Failed to get session")
          )
          const { body } = yield* partner.asPartner("/api/kyc/sessions?limit=2")
          expect(field(body, "sessions")).toMatchObject([
            { id: other.id, ...data },
            { id: session.id, status: "completed", metadata: null, progress: null, result: null }
          ])
        })
    )
  }

  it.effect("without its key, the fields are null, and the session can only be read", () =>
    Effect.gen(function* () {
      const partner = yield* Partner
      const session = yield* filled(partner)
      yield* execute(partner.server.databaseUrl, "delete from kyc_session_keys where session_id = $1", [
        session.id
      ])
      const { body, status } = yield* partner.asPartner(`/api/kyc/sessions/${session.id}`)
      expect(status).toBe(200)
      expect(dataOf(body)).toStrictEqual({ metadata: null, progress: null, result: null })
      expect(field(body, "session", "assurance")).toMatchObject({
        requiredStepsPresent: false,
        missingSteps: []
      })
      expect((yield* partner.complete(session)).status).toBe(200)
    })
  )
})
