import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { inBrowser } from "../support/browser/in-browser.ts"
import { consent, opened, PageCompany, person, stepsOf } from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, failing, heading, press } from "../support/browser/visit.ts"

inBrowser(PageCompany.layer)("the KYC page, when something fails", (test) => {
  test("keeps the input while offline, and then goes on by itself; while the server fails or is busy, on request", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({ workflow: stepsOf("consent", "person", "review") })
      yield* act(() => consent(page))
      const answer = yield* act(() => failing(page, /\/progress$/, { "retry-after": "7" }))
      yield* act(() => person(page))
      yield* act(() => page.getByText("Something went wrong on our side").waitFor())
      answer.status = 429
      yield* act(() => press(page, "Try again"))
      yield* act(() => page.getByText("Please wait 7 seconds, then try again.").waitFor())
      answer.status = undefined
      yield* act(() => visit.context.setOffline(true))
      yield* act(() => press(page, "Try again"))
      yield* act(() => page.getByText("No connection").waitFor())
      yield* act(() => expect.poll(() => page.getByLabel("Last name").inputValue()).toBe("Lovelace"))
      yield* act(() => visit.context.setOffline(false))
      yield* act(() => heading(page, "Check and send"))
      expectNothingWrong(visit)
    }))
})
