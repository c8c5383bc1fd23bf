import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { inBothSchemes } from "../support/browser/axe.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { consent, opened, PageCompany, person, prepared, stepsOf } from "../support/browser/kyc-page.ts"
import {
  act,
  expectNothingWrong,
  failing,
  hasFocus,
  heading,
  press,
  visitor
} from "../support/browser/visit.ts"
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

  test("the error of an entry stays until the entry is changed; a change from the review is judged by the rules", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* opened({
        workflow: {
          ...stepsOf("consent", "person", "review"),
          rules: [
            {
              after: "person",
              if: { path: "person.nationality", op: "eq", value: "LVA" },
              // biome-ignore lint/suspicious/noThenProperty: the word of the format; nothing awaits it.
              then: { fail: "COUNTRY_NOT_SUPPORTED" }
            }
          ]
        }
      })
      yield* act(() => consent(page))
      yield* act(() => heading(page, "About you"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => page.getByRole("link", { name: "Please fill in: First names" }).click())
      yield* act(() => page.keyboard.type("Ada"))
      yield* act(() => expect.poll(() => page.getByLabel("First names").inputValue()).toBe("Ada"))
      yield* act(() => expect.poll(() => page.getByText("Please fill in: First names").count()).toBe(0))
      yield* act(() => expect.poll(() => page.getByText("Please fill in: Last name").count()).toBe(2))
      yield* act(() => person(page))
      yield* act(() => heading(page, "Check and send"))
      yield* act(() => press(page, /Change.*About you/))
      yield* act(() => page.getByLabel("First names").fill("Augusta"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "Check and send"))
      yield* act(() => page.getByText("Augusta").waitFor())
      yield* act(() => press(page, /Change.*About you/))
      yield* act(() => page.getByLabel("Nationality").selectOption("LVA"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "The verification has ended"))
      expect(yield* outcome).toMatchObject({
        status: "failed",
        result: { failureCode: "COUNTRY_NOT_SUPPORTED", person: { givenName: "Augusta" } }
      })
      expectNothingWrong(visit)
    }))

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
