/** The database fails: each route's own 500, nothing half-written, and recovery. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { field, onboard } from "../support/client.ts"
import { onEach } from "../support/contract.ts"
import { ask, onDatabase, ownFailure } from "../support/database/faulty-database.ts"
import { withoutDatabase, withoutTable } from "../support/database/outage.ts"
import { eventually } from "../support/eventually.ts"
import { secret } from "../support/kyc/captcha.ts"
import { refusal, startCompany, statusAndBody } from "../support/kyc/partner.ts"
import { startServer } from "../support/server.ts"

const routes = onDatabase.filter(({ pattern }) => pattern.startsWith("/api/kyc/"))

it.scopedLive("The database cannot be reached: each route's own 500, then recovery", () =>
  Effect.gen(function* () {
    const server = yield* startServer({ CAPTCHA_JWT_SECRET: secret })
    const company = yield* onboard(server)
    const fails = onEach(routes, (route) =>
      Effect.map(ask(server, company, route), (answer) =>
        expect(statusAndBody(answer)).toStrictEqual({ status: 500, body: ownFailure(route) })
      )
    )
    yield* withoutDatabase(server, fails)
    yield* onEach(routes, (route) =>
      eventually(
        `${route.name} works again`,
        Effect.map(ask(server, company, route), ({ status }) => status),
        (status) => status < 500
      )
    )
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
