/** Personal data of a session in its row (docs/privacy.md). */
import { randomBytes } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { printed, sealProgress } from "../../../src/kyc/sessions/sealing-model.ts"
import { field, type TestSession, text } from "../../support/client.ts"
import { samples, upload } from "../../support/kyc/files.ts"
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
      "select s::text || coalesce(k::text, '') as row, k.session_id is not null as has_key from kyc_sessions s left join kyc_session_keys k on k.session_id = s.id where id = $1",
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
      expect(row).toMatchObject({ has_key: true })
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
    ["a value in another column", "update kyc_sessions set metadata = result where id = $1"],
    [
      "a value of another session",
      "update kyc_sessions s set result = o.result from kyc_sessions o where s.id = $1 and o.id = $2"
    ],
    [
      "the key of another session",
      `update kyc_session_keys k set sealed_key = o.sealed_key from kyc_session_keys o
       where k.session_id = $1 and o.session_id = $2`
    ],
    [
      "a changed value",
      `update kyc_sessions set metadata = to_jsonb(regexp_replace(metadata #>> '{}', '.{4}$', 'AAAA')) where id = $1`
    ],
    ["a value that is not sealed", `update kyc_sessions set metadata = '{"plan": "gold"}' where id = $1`],
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

  it.effect(
    "an open session without its key cannot go on: 500, as for any failing database; an expired one is 410",
    () =>
      Effect.gen(function* () {
        const partner = yield* Partner
        const created = yield* partner.newSession()
        // The process has the key in memory for the token that it has seen.
        const { body } = yield* partner.asMember("POST", `/api/kyc/sessions/${created.id}/resume`)
        const session = { ...created, token: text(body, "sessionToken") }
        yield* execute(partner.server.databaseUrl, "delete from kyc_session_keys where session_id = $1", [
          session.id
        ])
        const answers = Effect.gen(function* () {
          return [
            statusAndBody(yield* partner.progress(session, { progress: { s_person: { name: "Ada" } } })),
            statusAndBody(yield* partner.complete(session, { result: { name: "Ada" } })),
            statusAndBody(yield* upload(partner.server, session, samples.pdf))
          ]
        })
        expect(yield* answers).toStrictEqual([
          refusal(500, "Failed to update progress"),
          refusal(500, "Failed to complete session"),
          refusal(500, "Failed to store file")
        ])
        yield* partner.expire(session)
        expect(yield* answers).toStrictEqual(Array.from({ length: 3 }, () => refusal(410, "Session expired")))
      })
  )

  it.effect("the limit of progress counts the bytes that Postgres would print of the plain values", () =>
    Effect.gen(function* () {
      const { server } = yield* Partner
      const key = randomBytes(32)
      for (const progress of [
        {},
        { a: null, "": true, "ключ 🔑": 'ü"\\\n\u0001\u007f\u2028/', long: "x".repeat(1001) },
        { list: [], object: {}, nested: [[1, { a: [], "b c": "d" }], "e"], word: "sealed.1.AAAA" },
        { n: [0, -0, 1.5, -7, 1e21, -1.25e25, 1e-7, 5e-324, 1.7976931348623157e308, 123456789.125, 1e23] }
      ]) {
        for (const value of Object.values(progress)) {
          expect(
            yield* execute(server.databaseUrl, "select $1::jsonb::text as text", [JSON.stringify(value)])
          ).toEqual([{ text: printed(value) }])
        }
        expect(
          yield* execute(
            server.databaseUrl,
            "select kyc_progress_bytes($1::jsonb)::int as sealed, octet_length($2::jsonb::text) as plain",
            [JSON.stringify(sealProgress(key, progress)), JSON.stringify(progress)]
          ).pipe(Effect.map(([row]) => field(row, "sealed") === field(row, "plain")))
        ).toBe(true)
      }
    })
  )
})
