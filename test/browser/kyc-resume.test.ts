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
import { act, arrived, expectNothingWrong, heading, press } from "../support/browser/visit.ts"
import { eventually } from "../support/eventually.ts"

const formFirst = stepsOf("consent", "captcha", "person", "doc", "review")

inBrowser(PageCompany.layer)("the KYC page, interrupted", (test) => {
  test("goes one step back with the browser's Back, and never out of the page before its first step", () =>
    Effect.gen(function* () {
      const { company, page, session, visit } = yield* opened({
        workflow: formFirst
      })
      yield* act(() => consent(page))
      yield* act(() => person(page))
      yield* act(() => passport(page, number()))
      yield* act(() => photograph(page))
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "Check and send"))
      yield* act(() => page.getByAltText("Page with your photo").waitFor())
      yield* act(() => page.goBack())
      yield* act(() => heading(page, "Your document"))
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => page.getByLabel("Valid until").fill("2036-05-02"))
      yield* act(() => page.goBack())
      yield* act(() => arrived(page, "About you"))
      yield* act(() => page.goForward())
      yield* act(() => heading(page, "Your document"))
      yield* act(() => expect.poll(() => page.getByLabel("Valid until").inputValue()).toBe("2036-05-02"))
      // The page's own Back is the same one.
      yield* act(() => press(page, "Back"))
      yield* act(() => heading(page, "About you"))
      // The page shows the step before the browser's history has moved to its entry.
      yield* act(() => expect.poll(() => page.evaluate(() => history.state["kyc:trail"].length)).toBe(2))
      yield* act(() => page.goBack())
      yield* act(() => heading(page, "Before we begin"))
      yield* eventually(
        "the change is saved",
        Effect.map(company.read(session), ({ text }) => text.includes("2036-05-02"))
      )
      // What was changed there and not handed in is not forgotten.
      yield* act(() => page.reload())
      yield* act(() => heading(page, "Your document"))
      yield* act(() => expect.poll(() => page.getByLabel("Valid until").inputValue()).toBe("2036-05-02"))
      expectNothingWrong(visit)
    }))

  test("asks for the link in a tab without the token", () =>
    Effect.gen(function* () {
      const { page, session, visit } = yield* opened()
      yield* act(() => heading(page, "Before we begin"))
      const other = yield* act(() => visit.context.newPage())
      yield* act(() => other.goto(`${visit.origin}/kyc/session/${session.id}`))
      yield* act(() => heading(other, "Please open your link again"))
      // A token in the fragment is taken as well, and out of the address.
      yield* act(() => other.goto(`${visit.origin}/kyc/session/${session.id}?lang=de#token=${session.token}`))
      yield* act(() => other.reload())
      yield* act(() => heading(other, "Bevor wir beginnen"))
      yield* act(() =>
        expect.poll(() => other.url()).toBe(`${visit.origin}/kyc/session/${session.id}?lang=de`)
      )
      expectNothingWrong(visit)
    }))
})
