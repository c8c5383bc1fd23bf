/** A table fails: each route's own 500, nothing half-written, and recovery. `http/database-failures` has a database that is away. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, createSession, field, onboard } from "../support/client.ts"
import { type ContractRoute, onEach } from "../support/contract.ts"
import { ask, onDatabase, ownFailure } from "../support/database/faulty-database.ts"
import { withoutTable } from "../support/database/outage.ts"
import { secret } from "../support/kyc/captcha.ts"
import { refusal, startCompany, statusAndBody } from "../support/kyc/partner.ts"
import { startServer } from "../support/server.ts"

/** Each with the paths of routes that cannot do without it. */
const tables = [
  ["kyc_sessions", /\/sessions|\/overview|\/test-session/],
  ["kyc_instances", /\/instances(\/:id)?(\/funnel)?$/],
  ["kyc_session_notes", /\/notes/],
  ["kyc_reviews", /\/reviews$|\/review$|\/review\/(claim|release)$/],
  ["kyc_handoffs", /\/handoff/],
  ["kyc_dedup_records", /\/dedup-check/],
  ["kyc_dedup_sightings", /\/dedup-check/],
  ["kyc_file_uploads", /\/public\/.*\/files$/]
] as const

it.scopedLive("A table cannot be read: each route's own 500, then recovery", () =>
  Effect.gen(function* () {
    const server = yield* startServer({ CAPTCHA_JWT_SECRET: secret })
    const company = yield* onboard(server)
    for (const [table, paths] of tables) {
      const routes = onDatabase.filter(
        ({ pattern }) => pattern.startsWith("/api/kyc/") && paths.test(pattern)
      )
      // Each route has its own session, because some end it.
      const sessions = yield* Effect.forEach(routes, () =>
        createSession(server, company.key.token, company.instance.id)
      )
      const answers = (check: (answer: Answer, route: ContractRoute) => void) =>
        onEach(routes, (route) => {
          const session = sessions[routes.indexOf(route)] ?? company.session
          return Effect.map(ask(server, { ...company, session }, route), (answer) => check(answer, route))
        })
      const failing = answers((answer, route) =>
        expect({ table, ...statusAndBody(answer) }).toStrictEqual({
          table,
          status: 500,
          body: ownFailure(route)
        })
      )
      yield* withoutTable(server, table, failing)
      yield* answers(({ status }) => expect(status, table).toBeLessThan(500))
    }
  })
)

it.scopedLive("kyc_reviews cannot be read: neither a completion nor a decision is half-written", () =>
  Effect.gen(function* () {
    const company = yield* startCompany({}, { config: { review: { mode: "manual" } } })
    const [session, late] = [yield* company.newSession(), yield* company.newSession()]
    yield* company.complete(session)
    const path = `/api/kyc/sessions/${session.id}`
    const decide = company.asMember("POST", `${path}/review`, { decision: "approved", note: "Good" })
    yield* withoutTable(
      company.server,
      "kyc_reviews",
      Effect.gen(function* () {
        expect(statusAndBody(yield* decide)).toStrictEqual(refusal(500, "Failed to decide on session"))
        expect(statusAndBody(yield* company.complete(late))).toStrictEqual(
          refusal(500, "Failed to complete session")
        )
      })
    )
    expect((yield* decide).status).toBe(200)
    expect(field((yield* company.asMember("GET", `${path}/notes`)).body, "notes")).toHaveLength(1)
    expect((yield* company.complete(late)).status).toBe(200)
  })
)
