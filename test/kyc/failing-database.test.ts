/** A table fails: nothing is half-written. `http/database-failures` has each route's own 500. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { field } from "../support/client.ts"
import { withoutTable } from "../support/database/outage.ts"
import { refusal, startCompany, statusAndBody } from "../support/kyc/partner.ts"

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
