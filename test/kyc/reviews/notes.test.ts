/** How many notes a session may have (contract.md#session-notes). */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { mostNotes } from "../../../src/kyc/reviews/model.ts"
import { field } from "../../support/client.ts"
import { refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { reviewingCompany, waitingSession } from "../../support/kyc/reviews.ts"
import { execute } from "../../support/postgres.ts"
import { TestServer } from "../../support/server.ts"
import { suite } from "../../support/suite.ts"

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
      // Those of the database were not sealed.
      yield* execute(
        server.databaseUrl,
        "delete from kyc_session_notes where session_id = $1 and text = 'Called'",
        [session.id]
      )
      const { body } = yield* company.asMember("GET", `${path}/notes`)
      expect(field(body, "notes")).toMatchObject([{ text: "Called" }, { text: "Fine" }])
    })
  )
})
