import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  consent,
  number,
  opened,
  PageCompany,
  passport,
  person,
  photograph,
  stepsOf
} from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, heading, press } from "../support/browser/visit.ts"
import { field, text } from "../support/client.ts"
import { reviewsAs } from "../support/kyc/reviews.ts"

inBrowser(PageCompany.layer)("the KYC page, after a resubmission", (test) => {
  test("asks for the named step alone, and has the other answers", () =>
    Effect.gen(function* () {
      const { company, page, session, visit } = yield* opened({
        config: { review: { mode: "manual" } },
        workflow: stepsOf("consent", "person", "doc")
      })
      yield* act(() => consent(page))
      yield* act(() => person(page))
      yield* act(() => passport(page, number()))
      yield* act(() => photograph(page))
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "All done"))

      const { decide } = reviewsAs(company.server, company.member)
      const { body } = yield* decide(session, { decision: "resubmission", steps: ["doc"] })
      const url = new URL(text(body, "verificationUrl"))
      yield* act(() => page.goto(visit.origin + url.pathname + url.search))
      const again = number()
      yield* act(() => passport(page, again))
      yield* act(() => photograph(page))
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "All done"))
      const next = yield* company.asPartner(`/api/kyc/sessions/${text(body, "review", "next_session_id")}`)
      expect(field(next.body, "session")).toMatchObject({
        status: "completed",
        previous_session_id: session.id,
        progress: { s_person: { givenName: "Ada" }, s_doc: { type: "passport" } },
        result: { document: { number: again } },
        review: { status: "pending" }
      })
      expectNothingWrong(visit)
    }))
})
