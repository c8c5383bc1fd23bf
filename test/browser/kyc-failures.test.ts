import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { inBothSchemes } from "../support/browser/axe.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { consent, PageCompany, prepared, stepsOf } from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, hasFocus, heading, visitor } from "../support/browser/visit.ts"
import { samples } from "../support/kyc/files.ts"

inBrowser(PageCompany.layer)("the KYC page, when something fails", (test) => {
  test("while the server stays unreachable, the message stays, and its button keeps the focus", () =>
    Effect.gen(function* () {
      const { link, page, visit } = yield* prepared({ workflow: stepsOf("consent", "poa") })
      yield* act(() => page.clock.install())
      const again = page.getByRole("button", { name: "Try again" })
      /** Fails with each attempt, by itself and by the button, without losing the focus. */
      const staysWith = async (path: RegExp, title: string) => {
        await page.getByText(title).waitFor()
        await again.focus()
        for (const retry of [() => page.clock.fastForward(6000), () => page.keyboard.press("Enter")]) {
          await expect.poll(() => again.getAttribute("aria-disabled")).toBe("false")
          const failed = page.waitForEvent("requestfailed", (request) => path.test(request.url()))
          await retry()
          await failed
          await hasFocus(again)
        }
        // No attempt by itself comes before the one of the button.
        await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000)
        await expect.poll(() => again.getAttribute("aria-disabled")).toBe("false")
        await page.unroute(path)
        await again.click()
        await page.clock.resume()
      }
      const session = /\/api\/kyc\/public\/sessions\/[^/]+\?/
      yield* act(() => page.route(session, (route) => route.abort()))
      yield* act(() => page.goto(link))
      yield* act(() => staysWith(session, "No connection"))
      yield* act(() => heading(page, "Before we begin"))
      yield* act(() => page.route(/\/progress$/, (route) => route.abort()))
      yield* act(() => consent(page))
      yield* act(() => staysWith(/\/progress$/, "No connection"))
      yield* act(() => heading(page, "Additional documents"))
      yield* act(() => page.route(/\/files$/, (route) => route.abort()))
      yield* act(() =>
        page
          .getByLabel("Choose a file")
          .setInputFiles({ name: "bill.pdf", mimeType: "application/pdf", buffer: samples.pdf })
      )
      yield* act(() => staysWith(/\/files$/, "The file was not sent."))
      yield* act(() => page.getByText("bill.pdf").waitFor())
      expectNothingWrong(visit)
    }))

  test("at an address of no session, says in the reader's language that the link does not work, and keeps no token", () =>
    Effect.gen(function* () {
      const { server } = yield* PageCompany
      const visit = yield* visitor({ server }, { locale: "de-DE" })
      const { page } = visit
      yield* act(() => page.goto(`${visit.origin}/kyc/sessions/x?token=kyc_sess_x`))
      yield* act(() => heading(page, "Dieser Link funktioniert nicht"))
      for (const size of [
        { width: 1280, height: 800 },
        { width: 320, height: 568 }
      ]) {
        yield* act(() => page.setViewportSize(size))
        yield* act(() => inBothSchemes(page, "/kyc/sessions"))
      }
      const left = () => page.evaluate(() => [location.search, sessionStorage.length])
      yield* act(() => expect.poll(left).toEqual(["", 0]))
      expectNothingWrong(visit)
    }))
})
