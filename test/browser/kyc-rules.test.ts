import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  consent,
  fullWorkflow,
  opened,
  PageCompany,
  passport,
  person,
  photograph,
  stepsOf
} from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, heading, press } from "../support/browser/visit.ts"

inBrowser(PageCompany.layer)("the rules of a workflow on the KYC page", (test) => {
  const rule = (nationality: string, consequence: object) => ({
    after: "person",
    if: { path: "person.nationality", op: "in", value: [nationality] },
    // biome-ignore lint/suspicious/noThenProperty: the word of the format; nothing awaits it.
    then: consequence
  })

  test("end the session with their code", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* opened({
        workflow: { ...fullWorkflow, rules: [rule("EST", { fail: "COUNTRY_NOT_SUPPORTED" })] }
      })
      yield* act(() => consent(page))
      yield* act(() => person(page))
      yield* act(() => heading(page, "The verification has ended"))
      expect(yield* outcome).toMatchObject({
        status: "failed",
        result: { failureCode: "COUNTRY_NOT_SUPPORTED", outcome: "ended", person: { nationality: "EST" } }
      })
      expectNothingWrong(visit)
    }))

  test("skip steps, which the server then does not report as missing", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* opened({
        workflow: { ...fullWorkflow, rules: [rule("EST", { skip: ["doc", "selfie", "poa"] })] }
      })
      yield* act(() => consent(page))
      yield* act(() => page.getByText("Step 2 of 6").waitFor())
      yield* act(() => person(page))
      yield* act(() => heading(page, "Check and send"))
      yield* act(() => page.getByText("Step 3 of 3").waitFor())
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      expect(yield* outcome).toMatchObject({
        status: "completed",
        assurance: { requiredStepsPresent: true, missingSteps: [] }
      })
      expectNothingWrong(visit)
    }))

  test("a change from the review returns to the review, and TEST-OK is not a duplicate", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* opened({
        config: { dedup: { onMatch: "block" } },
        workflow: stepsOf("consent", "person", "doc", "review"),
        session: { mode: "dev" }
      })
      yield* act(() => consent(page))
      yield* act(() => person(page))
      yield* act(() => passport(page, "test-ok"))
      yield* act(() => photograph(page))
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "Check and send"))
      yield* act(() => press(page, /Change.*About you/))
      yield* act(() => page.getByLabel("First names").fill("Augusta"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "Check and send"))
      yield* act(() => page.getByText("Augusta").waitFor())
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      expect(yield* outcome).toMatchObject({
        status: "completed",
        result: { person: { givenName: "Augusta" }, dedup: { matchFound: false, action: "none" } }
      })
      expectNothingWrong(visit)
    }))
})
