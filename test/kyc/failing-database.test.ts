import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { type Answer, field, type TestSession } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { type Company, refusal, startCompany, statusAndBody, unknownId } from "../support/kyc/partner.ts"
import { getReading, startReading } from "../support/kyc/readings.ts"
import { execute } from "../support/postgres.ts"

interface Route {
  readonly name: string
  /** What it answers when the database fails it. */
  readonly failure: string
  readonly good: number
  readonly ask: (company: Company, session: TestSession) => Effect.Effect<Answer>
}

const sessionRoutes: ReadonlyArray<Route> = [
  {
    name: "GET /api/kyc/overview",
    failure: "Failed to get overview",
    good: 200,
    ask: ({ asMember }) => asMember("GET", "/api/kyc/overview")
  },
  {
    name: "POST /api/kyc/public/sessions",
    failure: "Failed to create session",
    good: 201,
    ask: ({ create }) => create()
  },
  {
    name: "GET /api/kyc/public/sessions/:sessionId",
    failure: "Failed to get session",
    good: 200,
    ask: ({ read }, session) => read(session)
  },
  {
    name: "POST /api/kyc/public/sessions/:sessionId/progress",
    failure: "Failed to update progress",
    good: 200,
    ask: ({ progress }, session) => progress(session, { progress: { a: 1 } })
  },
  {
    name: "POST /api/kyc/public/sessions/:sessionId/complete",
    failure: "Failed to complete session",
    good: 200,
    ask: ({ complete }, session) => complete(session)
  },
  {
    name: "POST /api/kyc/public/sessions/:sessionId/files/:fileId/reading",
    failure: "Failed to start reading",
    good: 404,
    ask: ({ server }, session) => startReading(server, session, unknownId)
  },
  {
    name: "GET /api/kyc/public/sessions/:sessionId/files/:fileId/reading",
    failure: "Failed to get reading",
    good: 404,
    ask: ({ server }, session) => getReading(server, session, unknownId)
  },
  {
    name: "GET /api/kyc/sessions",
    failure: "Failed to list sessions",
    good: 200,
    ask: ({ asPartner }) => asPartner("/api/kyc/sessions")
  },
  {
    name: "GET /api/kyc/sessions.csv",
    failure: "Failed to export sessions",
    good: 200,
    ask: ({ asPartner }) => asPartner("/api/kyc/sessions.csv")
  },
  {
    name: "GET /api/kyc/sessions/:id",
    failure: "Failed to get session",
    good: 200,
    ask: ({ asMember }, { id }) => asMember("GET", `/api/kyc/sessions/${id}`)
  },
  {
    name: "GET /api/kyc/sessions/:id/files",
    failure: "Failed to list files",
    good: 200,
    ask: ({ asMember }, { id }) => asMember("GET", `/api/kyc/sessions/${id}/files`)
  },
  {
    name: "GET /api/kyc/sessions/:id/export",
    failure: "Failed to export session",
    good: 200,
    ask: ({ asMember }, { id }) => asMember("GET", `/api/kyc/sessions/${id}/export`)
  },
  {
    name: "GET /api/kyc/sessions/:id/timeline",
    failure: "Failed to get timeline",
    good: 200,
    ask: ({ asMember }, { id }) => asMember("GET", `/api/kyc/sessions/${id}/timeline`)
  },
  {
    name: "POST /api/kyc/sessions/:id/resume",
    failure: "Failed to resume session",
    // By then it is completed.
    good: 409,
    ask: ({ asMember }, { id }) => asMember("POST", `/api/kyc/sessions/${id}/resume`)
  },
  {
    name: "POST /api/kyc/sessions/:id/cancel",
    failure: "Failed to cancel session",
    good: 409,
    ask: ({ asMember }, { id }) => asMember("POST", `/api/kyc/sessions/${id}/cancel`)
  },
  {
    name: "POST /api/kyc/sessions/:id/review/link",
    failure: "Failed to get new link",
    // Nobody has decided.
    good: 409,
    ask: ({ asMember }, { id }) => asMember("POST", `/api/kyc/sessions/${id}/review/link`)
  },
  {
    name: "GET /api/kyc/sessions/:id/matches",
    failure: "Failed to list matches",
    good: 200,
    ask: ({ asMember }, { id }) => asMember("GET", `/api/kyc/sessions/${id}/matches`)
  },
  {
    name: "POST /api/kyc/instances/:id/test-session",
    failure: "Failed to create test session",
    good: 201,
    ask: ({ asMember, instance }) => asMember("POST", `/api/kyc/instances/${instance.id}/test-session`)
  }
]

/** Needs a session that waits for a decision. */
const reviewRoutes: ReadonlyArray<Route> = [
  {
    name: "GET /api/kyc/reviews",
    failure: "Failed to list reviews",
    good: 200,
    ask: ({ asMember }) => asMember("GET", "/api/kyc/reviews")
  },
  {
    name: "GET /api/kyc/sessions/:id/review",
    failure: "Failed to get review",
    good: 200,
    ask: ({ asMember }, { id }) => asMember("GET", `/api/kyc/sessions/${id}/review`)
  },
  {
    name: "POST /api/kyc/sessions/:id/review/claim",
    failure: "Failed to claim session",
    good: 200,
    ask: ({ asMember }, { id }) => asMember("POST", `/api/kyc/sessions/${id}/review/claim`)
  },
  {
    name: "POST /api/kyc/sessions/:id/review/release",
    failure: "Failed to release session",
    good: 200,
    ask: ({ asMember }, { id }) => asMember("POST", `/api/kyc/sessions/${id}/review/release`)
  },
  {
    name: "POST /api/kyc/sessions/:id/review",
    failure: "Failed to decide on session",
    good: 200,
    ask: ({ asMember }, { id }) =>
      asMember("POST", `/api/kyc/sessions/${id}/review`, { decision: "approved", note: "Good" })
  }
]

const noteRoutes: ReadonlyArray<Route> = [
  {
    name: "POST /api/kyc/sessions/:id/notes",
    failure: "Failed to add note",
    good: 201,
    ask: ({ asMember }, { id }) => asMember("POST", `/api/kyc/sessions/${id}/notes`, { text: "x" })
  },
  {
    name: "GET /api/kyc/sessions/:id/notes",
    failure: "Failed to list notes",
    good: 200,
    ask: ({ asMember }, { id }) => asMember("GET", `/api/kyc/sessions/${id}/notes`)
  }
]

const instanceRoutes: ReadonlyArray<Route> = [
  {
    name: "GET /api/kyc/instances/:id/funnel",
    failure: "Failed to get funnel",
    good: 200,
    ask: ({ asMember, instance }) => asMember("GET", `/api/kyc/instances/${instance.id}/funnel`)
  },
  {
    name: "GET /api/kyc/instances",
    failure: "Failed to list instances",
    good: 200,
    ask: ({ asMember }) => asMember("GET", "/api/kyc/instances")
  },
  {
    name: "POST /api/kyc/instances",
    failure: "Failed to create instance",
    good: 201,
    ask: ({ asMember }) => asMember("POST", "/api/kyc/instances", { name: "n" })
  },
  {
    name: "GET /api/kyc/instances/:id",
    failure: "Failed to get instance",
    good: 200,
    ask: ({ asMember, instance }) => asMember("GET", `/api/kyc/instances/${instance.id}`)
  },
  {
    name: "PATCH /api/kyc/instances/:id",
    failure: "Failed to update instance",
    good: 200,
    ask: ({ asMember, instance }) =>
      asMember("PATCH", `/api/kyc/instances/${instance.id}`, { name: "changed" })
  }
]

const allFail = (company: Company, session: TestSession, routes: ReadonlyArray<Route>) =>
  Effect.forEach(routes, ({ ask, failure, name }) =>
    Effect.map(ask(company, session), (answer) =>
      expect({ name, ...statusAndBody(answer) }).toStrictEqual({ name, ...refusal(500, failure) })
    )
  )

const allSucceed = (company: Company, session: TestSession, routes: ReadonlyArray<Route>) =>
  Effect.forEach(routes, ({ ask, good, name }) =>
    Effect.map(ask(company, session), ({ status }) =>
      expect({ name, status }).toStrictEqual({ name, status: good })
    )
  )

for (const [table, routes] of [
  ["kyc_sessions", sessionRoutes],
  ["kyc_instances", instanceRoutes],
  ["kyc_session_notes", noteRoutes]
] as const) {
  it.scopedLive(`${table} cannot be read: each route's own 500, then recovery`, () =>
    Effect.gen(function* () {
      const company = yield* startCompany()
      const { databaseUrl } = company.server
      yield* allSucceed(company, yield* company.newSession(), routes)
      const session = yield* company.newSession()
      const before = yield* company.asPartner(`/api/kyc/sessions/${session.id}`)
      yield* execute(databaseUrl, `alter table ${table} rename to gone`)
      yield* allFail(company, session, routes)
      yield* execute(databaseUrl, `alter table gone rename to ${table}`)
      expect(statusAndBody(yield* company.asPartner(`/api/kyc/sessions/${session.id}`))).toStrictEqual(
        statusAndBody(before)
      )
      yield* allSucceed(company, session, routes)
    })
  )
}

it.scopedLive("kyc_reviews cannot be read: each route's own 500, nothing is kept, then recovery", () =>
  Effect.gen(function* () {
    const company = yield* startCompany({}, { config: { review: { mode: "manual" } } })
    const { databaseUrl } = company.server
    const session = yield* company.newSession()
    yield* company.complete(session)
    yield* execute(databaseUrl, "alter table kyc_reviews rename to gone")
    yield* allFail(company, session, reviewRoutes)
    // A session that cannot wait for its review is not completed either.
    const late = yield* company.newSession()
    expect(statusAndBody(yield* company.complete(late))).toStrictEqual(
      refusal(500, "Failed to complete session")
    )
    yield* execute(databaseUrl, "alter table gone rename to kyc_reviews")
    yield* allSucceed(company, session, reviewRoutes)
    const notes = yield* company.asMember("GET", `/api/kyc/sessions/${session.id}/notes`)
    expect(field(notes.body, "notes")).toHaveLength(1)
    expect((yield* company.complete(late)).status).toBe(200)
  })
)

it.scopedLive("The database cannot be reached: each route's own 500, then recovery", () =>
  Effect.gen(function* () {
    const company = yield* startCompany()
    const routes = [...sessionRoutes, ...instanceRoutes]
    const session = yield* company.newSession()
    const before = yield* company.asPartner(`/api/kyc/sessions/${session.id}`)
    const admin = Redacted.make(inject("postgres").adminUrl)
    const database = new URL(Redacted.value(company.server.databaseUrl)).pathname.slice(1)

    yield* execute(admin, `alter database ${database} allow_connections false`)
    yield* execute(admin, "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [
      database
    ])
    yield* allFail(company, session, routes)

    yield* execute(admin, `alter database ${database} allow_connections true`)
    yield* eventually(
      "a session is read again",
      Effect.map(company.read(session), ({ status }) => status === 200)
    )
    expect(statusAndBody(yield* company.asPartner(`/api/kyc/sessions/${session.id}`))).toStrictEqual(
      statusAndBody(before)
    )
    yield* allSucceed(company, session, routes)
    const { body } = yield* company.read(session)
    expect(field(body, "session", "status")).toBe("completed")
  })
)
