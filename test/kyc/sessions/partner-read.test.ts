import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { createKey, field, send, signUp, type TestSession } from "../../support/client.ts"
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

  it.effect("It is what the browser reads, plus flags, assurance, review and checks", () =>
    Effect.gen(function* () {
      const { asPartner, newSession, progress, read } = yield* Partner
      const session = yield* newSession()
      yield* progress(session, { progress: { a: [1] }, status: "running" })
      const { body } = yield* read(session)
      expect((yield* asPartner(path(session))).body).toStrictEqual({
        session: {
          ...Object(field(body, "session")),
          flags: [],
          assurance: noAssurance,
          ...unreviewed,
          checks: []
        }
      })
    })
  )

  it.effect("The same by key and by dashboard session", () =>
    Effect.gen(function* () {
      const { asMember, asPartner, key, member, newSession, server } = yield* Partner
      const session = yield* newSession()
      const answer = statusAndBody(yield* asPartner(path(session)))
      expect(answer.status).toBe(200)
      expect(statusAndBody(yield* asMember("GET", path(session)))).toStrictEqual(answer)
      for (const authorization of [
        `Bearer ${key.token}`,
        `Bearer ${member.cookie.slice("dashboard_session=".length)}`
      ]) {
        expect(
          statusAndBody(yield* send(server, "GET", path(session), { headers: { authorization } }))
        ).toStrictEqual(answer)
      }
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

suite(Partner.layer)("Who may read as the partner", (it) => {
  it.effect("A value in x-api-key counts as a platform key; 401 Invalid API key if it is not one", () =>
    Effect.gen(function* () {
      const { member, server } = yield* Partner
      const dashboardToken = member.cookie.slice("dashboard_session=".length)
      for (const key of [dashboardToken, "dls_x", "x", ""]) {
        const headers = { "x-api-key": key, cookie: member.cookie }
        const answer = yield* send(server, "GET", "/api/kyc/sessions", { headers })
        expect(statusAndBody(answer)).toStrictEqual(refusal(401, "Invalid API key"))
      }
    })
  )

  it.effect("A key with scope kyc:sessions:read or an ancestor of it; else 403", () =>
    Effect.gen(function* () {
      const { member, newSession, server } = yield* Partner
      const session = yield* newSession()
      const get = (address: string, scopes: ReadonlyArray<string>) =>
        Effect.flatMap(createKey(server, member, { scopes }), ({ token }) =>
          send(server, "GET", address, { headers: { "x-api-key": token } })
        )
      for (const address of [path(session), "/api/kyc/sessions"]) {
        for (const scope of ["*", "kyc", "kyc:*", "kyc:sessions", "kyc:sessions:*", "kyc:sessions:read"]) {
          expect((yield* get(address, [scope])).status).toBe(200)
        }
        for (const scopes of [[], ["kyc:sessions:create"], ["kyc:sessions:read:all", "kyc:session"]]) {
          expect(statusAndBody(yield* get(address, scopes))).toStrictEqual(
            refusal(403, "API key does not have the scope kyc:sessions:read")
          )
        }
      }
    })
  )

  it.effect("An invalid key: 401 Invalid API key", () =>
    Effect.gen(function* () {
      const { key, member, newSession, server } = yield* Partner
      const session = yield* newSession()
      const expired = yield* createKey(server, member, { expiresAt: "2020-01-01" })
      for (const address of [path(session), "/api/kyc/sessions"]) {
        for (const token of ["", "nonsense", `${key.token}x`, expired.token, session.token]) {
          for (const headers of [{ "x-api-key": token }, { "x-api-key": token, cookie: member.cookie }]) {
            expect(statusAndBody(yield* send(server, "GET", address, { headers }))).toStrictEqual(
              refusal(401, "Invalid API key")
            )
          }
        }
      }
    })
  )

  it.effect("No credential, or an ended dashboard session: 401 Unauthorized", () =>
    Effect.gen(function* () {
      const { newSession, server } = yield* Partner
      const session = yield* newSession()
      const gone = yield* signUp(server)
      yield* send(server, "POST", "/api/auth/logout", { headers: { cookie: gone.cookie } })
      for (const address of [path(session), "/api/kyc/sessions", `${path(session)}?token=${session.token}`]) {
        for (const headers of [
          {},
          { cookie: "dashboard_session=nonsense" },
          { cookie: gone.cookie },
          { authorization: `Bearer ${gone.cookie.slice("dashboard_session=".length)}` },
          { authorization: "Basic YTpi" }
        ]) {
          expect(statusAndBody(yield* send(server, "GET", address, { headers }))).toStrictEqual(
            refusal(401, "Unauthorized")
          )
        }
      }
    })
  )
})
