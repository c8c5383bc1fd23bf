import * as Effect from "effect/Effect"
import { inBrowser } from "../support/in-browser.ts"
import { fullWorkflow, number, opened, PageCompany } from "../support/kyc-page.ts"
import { act, expectNothingWrong, heading } from "../support/visit.ts"

inBrowser(PageCompany.layer)("the KYC page, by keyboard", (test) => {
  test("is walked from beginning to end by keyboard alone, with the camera", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({ workflow: fullWorkflow })
      const { keyboard } = page
      const focusedName = () =>
        page.evaluate(() => {
          const { activeElement } = document
          // A box may have the focus, too, and has all that is in it for its text.
          if (activeElement instanceof HTMLFieldSetElement) return ""
          return activeElement instanceof HTMLInputElement || activeElement instanceof HTMLSelectElement
            ? (activeElement.labels?.[0]?.textContent ?? "")
            : (activeElement?.textContent ?? "")
        })
      /** Goes on with Tab until something of that name has the focus. */
      const tabTo = async (name: string, most = 20) => {
        for (let presses = 0; presses < most; presses++) {
          await keyboard.press("Tab")
          if ((await focusedName()).includes(name)) return
        }
        throw new Error(`Tab never came to ${name}`)
      }
      /** Every change of the box leaves the focus in it, so that it takes few presses from one button to the next. */
      const photographed = async () => {
        await tabTo("Take photo")
        await keyboard.press("Enter")
        await page.getByText("The camera is on.").waitFor({ state: "attached" })
        await tabTo("Take the photo", 2)
        await keyboard.press("Enter")
        await page.getByRole("button", { name: "Use this photo" }).waitFor()
        await tabTo("Use this photo", 2)
        await keyboard.press("Enter")
        await page.getByText("Received").waitFor()
      }
      yield* act(() => heading(page, "Before we begin"))
      yield* act(() => tabTo("I agree that my personal details"))
      yield* act(() => keyboard.press("Space"))
      yield* act(() => tabTo("Agree and continue"))
      yield* act(() => keyboard.press("Enter"))
      yield* act(() => heading(page, "About you"))
      yield* act(() => tabTo("First names"))
      yield* act(() => keyboard.type("Ada"))
      yield* act(() => tabTo("Last name"))
      yield* act(() => keyboard.type("Lovelace"))
      yield* act(() => tabTo("Date of birth"))
      // A day that is written alike whichever way round the browser asks for day and month.
      yield* act(() => keyboard.type("11111990"))
      yield* act(() => tabTo("Nationality"))
      yield* act(() => keyboard.type("Estonia"))
      yield* act(() => tabTo("Continue"))
      yield* act(() => keyboard.press("Enter"))
      yield* act(() => heading(page, "Your document"))
      yield* act(() => tabTo("Passport"))
      yield* act(() => keyboard.press("Space"))
      yield* act(() => tabTo("Issued by"))
      yield* act(() => keyboard.type("Estonia"))
      yield* act(() => tabTo("Document number"))
      yield* act(() => keyboard.type(number()))
      yield* act(() => tabTo("Valid until"))
      yield* act(() => keyboard.type("11112040"))
      yield* act(photographed)
      yield* act(() => tabTo("Continue"))
      yield* act(() => keyboard.press("Enter"))
      yield* act(() => heading(page, "A photo of you"))
      yield* act(photographed)
      yield* act(() => tabTo("Continue"))
      yield* act(() => keyboard.press("Enter"))
      yield* act(() => heading(page, "Further documents"))
      yield* act(photographed)
      yield* act(() => tabTo("Continue"))
      yield* act(() => keyboard.press("Enter"))
      yield* act(() => heading(page, "Check and send"))
      yield* act(() => page.getByText("November 11, 1990").waitFor())
      yield* act(() => tabTo("Send"))
      yield* act(() => keyboard.press("Enter"))
      yield* act(() => heading(page, "All done"))
      expectNothingWrong(visit)
    }))
})
