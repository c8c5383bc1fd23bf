import { Effect } from "effect"
import { inBrowser } from "../support/browser/in-browser.ts"
import { consent, number, opened, PageCompany, stepsOf } from "../support/browser/kyc-page.ts"
import { act, arrived, expectNothingWrong, hasFocus, heading, tabTo } from "../support/browser/visit.ts"

inBrowser(PageCompany.layer)("the KYC page, by keyboard", (test) => {
  test("can be completed by keyboard alone, with the camera", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({ workflow: stepsOf("consent", "person", "doc", "review") })
      const { keyboard } = page
      /** Every change of the box leaves the focus in it, so that it takes few presses from one button to the next. */
      const photographed = async () => {
        await tabTo(page, "Take photo")
        await keyboard.press("Enter")
        await page.getByText("The camera is on.").waitFor({ state: "attached" })
        await tabTo(page, "Take the photo", 2)
        await keyboard.press("Enter")
        await page.locator(".preview:focus").waitFor()
        await tabTo(page, "Use this photo", 2)
        await keyboard.press("Enter")
        await page.getByText("Received").waitFor()
      }
      yield* act(() => arrived(page, "Before we begin"))
      yield* act(() => tabTo(page, "I agree that my personal details"))
      yield* act(() => keyboard.press("Space"))
      yield* act(() => tabTo(page, "Agree and continue"))
      yield* act(() => keyboard.press("Enter"))
      yield* act(() => arrived(page, "About you"))
      yield* act(() => tabTo(page, "First names"))
      yield* act(() => keyboard.type("Ada"))
      yield* act(() => tabTo(page, "Last name"))
      yield* act(() => keyboard.type("Lovelace"))
      yield* act(() => tabTo(page, "Date of birth"))
      // A day that is written alike whichever way round the browser asks for day and month.
      yield* act(() => keyboard.type("11111990"))
      yield* act(() => tabTo(page, "Nationality"))
      yield* act(() => keyboard.type("Estonia"))
      yield* act(() => tabTo(page, "Continue"))
      yield* act(() => keyboard.press("Enter"))
      yield* act(() => arrived(page, "Your document"))
      yield* act(() => tabTo(page, "Passport"))
      yield* act(() => keyboard.press("Space"))
      yield* act(photographed)
      yield* act(() => tabTo(page, "Issued by"))
      yield* act(() => keyboard.type("Estonia"))
      yield* act(() => tabTo(page, "Document number"))
      yield* act(() => keyboard.type(number()))
      yield* act(() => tabTo(page, "Valid until"))
      yield* act(() => keyboard.type("11112040"))
      yield* act(() => tabTo(page, "Continue"))
      yield* act(() => keyboard.press("Enter"))
      yield* act(() => arrived(page, "Check and send"))
      yield* act(() => page.getByText("November 11, 1990").waitFor())
      yield* act(() => tabTo(page, "Send"))
      yield* act(() => keyboard.press("Enter"))
      yield* act(() => heading(page, "All done"))
      expectNothingWrong(visit)
    }))

  test("the question before stopping takes the focus, and gives it back", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({ workflow: stepsOf("consent", "person") })
      const keepGoing = async (name: string) => {
        await page.getByRole("button", { name }).press("Enter")
        await hasFocus(page.getByRole("alert").filter({ hasText: "Stop the verification?" }))
        await tabTo(page, "No, keep going", 2)
        await page.keyboard.press("Enter")
        await hasFocus(page.getByRole("button", { name }))
      }
      yield* act(() => arrived(page, "Before we begin"))
      yield* act(() => keepGoing("I do not agree"))
      yield* act(() => consent(page))
      yield* act(() => arrived(page, "About you"))
      yield* act(() => keepGoing("Stop verification"))
      expectNothingWrong(visit)
    }))
})
