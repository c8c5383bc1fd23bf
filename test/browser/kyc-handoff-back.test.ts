/** A session that went to a phone and comes back, or crossed with something on its way there. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import {
  claim,
  codeOn,
  type Desk,
  desk,
  enter,
  goOver,
  linkShown,
  phoneOf,
  showing,
  steps
} from "../support/browser/handoff-page.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { consent, number, PageCompany, passport, photograph } from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, heading, holding, press } from "../support/browser/visit.ts"
import { field, send } from "../support/client.ts"

const numberOn = (page: Page) => page.getByLabel("Document number").inputValue()

/** The desktop's session on a phone, from the step where it is. */
const handedOver = (given: Desk) =>
  Effect.gen(function* () {
    const { desktop } = given
    yield* act(() => press(desktop.page, "Use your phone"))
    const link = yield* act(() => linkShown(desktop.page))
    const phone = yield* phoneOf(given)
    yield* act(() => goOver(desktop, phone, link))
    yield* act(() => heading(desktop.page, "Your phone has taken over"))
    return phone
  })

inBrowser(PageCompany.layer)("the KYC page, back from a phone", (test) => {
  test("keeps the input if the phone saved nothing, for example because it was lost", () =>
    Effect.gen(function* () {
      const given = yield* desk()
      const { desktop } = given
      yield* act(() => consent(desktop.page))
      const typed = number()
      yield* act(() => passport(desktop.page, typed))
      const phone = yield* handedOver(given)
      yield* act(() => heading(phone.page, "Your document"))
      yield* act(() => phone.page.goto("about:blank"))
      // The first try meets no server, the next one does.
      yield* act(() => desktop.context.setOffline(true))
      yield* act(() => press(desktop.page, "Continue here instead"))
      yield* act(() => heading(desktop.page, "No connection"))
      yield* act(() => desktop.context.setOffline(false))
      yield* act(() => heading(desktop.page, "Your document"))
      yield* act(() => expect.poll(() => numberOn(desktop.page)).toBe(typed))
      yield* act(() =>
        expect.poll(() => desktop.page.getByLabel("Valid until").inputValue()).toBe("2035-04-01")
      )
      for (const visit of [desktop, phone]) expectNothingWrong(visit)
    }))

  test("asks again for a document number that was changed on the phone, and submits only that", () =>
    Effect.gen(function* () {
      const given = yield* desk()
      const { company, desktop, session } = given
      const [before, after] = [number(), `${number()}X`]
      yield* act(() => consent(desktop.page))
      yield* act(() => passport(desktop.page, before))
      yield* act(() => photograph(desktop.page))
      yield* act(() => press(desktop.page, "Continue"))
      yield* act(() => heading(desktop.page, "A photo of you"))
      const phone = yield* handedOver(given)
      yield* act(() => heading(phone.page, "A photo of you"))
      yield* act(() => press(phone.page, "Back"))
      yield* act(() => expect.poll(() => numberOn(phone.page)).toBe(before))
      yield* act(() => phone.page.getByLabel("Document number").fill(after))
      yield* act(() => press(phone.page, "Continue"))
      yield* act(() => heading(phone.page, "A photo of you"))

      yield* act(() => press(desktop.page, "Continue here instead"))
      yield* act(() => heading(desktop.page, "Your document"))
      yield* act(() => expect.poll(() => numberOn(desktop.page)).toBe(""))
      yield* act(() => desktop.page.getByText(/the number was not saved/).waitFor())
      yield* act(() => desktop.page.getByLabel("Document number").fill(after))
      yield* act(() => press(desktop.page, "Continue"))
      yield* act(() => heading(desktop.page, "A photo of you"))
      yield* act(() => photograph(desktop.page))
      yield* act(() => press(desktop.page, "Continue"))
      yield* act(() => press(desktop.page, "Send"))
      yield* act(() => heading(desktop.page, "All done"))
      const { body } = yield* company.asPartner(`/api/kyc/sessions/${session.id}`)
      expect(field(body, "session", "result", "document", "number")).toBe(after)
      // Nothing of it stays behind, also where the end is only learnt of.
      yield* act(() => phone.page.reload())
      yield* act(() => heading(phone.page, "All done"))
      for (const { page } of [desktop, phone]) {
        const kept = () => page.evaluate(() => JSON.stringify({ ...sessionStorage }))
        for (const secret of [before, after]) {
          yield* act(() => expect.poll(kept).not.toContain(secret))
        }
      }
      for (const visit of [desktop, phone]) expectNothingWrong(visit)
    }))

  test("says so if the phone took over before the desktop withdrew", () =>
    Effect.gen(function* () {
      const given = yield* showing()
      const { desktop } = given
      const phone = yield* phoneOf(given)
      yield* act(() => claim(phone, given.link))
      const code = yield* act(() => codeOn(desktop))
      const release = yield* act(() => holding(desktop.page, /\/handoffs\/[^/]+\?/))
      yield* act(() => enter(phone, code))
      yield* act(() => heading(phone.page, "A photo of you"))
      yield* act(() => press(desktop.page, "Continue here instead"))
      yield* act(() => heading(desktop.page, "Your phone has taken over"))
      release()
      yield* act(() => press(desktop.page, "Continue here instead"))
      yield* act(() => heading(desktop.page, "A photo of you"))
      for (const visit of [desktop, phone]) expectNothingWrong(visit)
    }))

  test("shows the outcome of the phone, also after a failed attempt", () =>
    Effect.gen(function* () {
      const given = yield* desk({}, { steps: [steps.selfie, steps.review] })
      const { company, desktop } = given
      const phone = yield* handedOver(given)
      let broken = true
      yield* act(() =>
        desktop.page.route(/\/(complete|handoffs)$/, (route) => (broken ? route.abort() : route.continue()))
      )
      yield* act(() => photograph(phone.page))
      yield* act(() => press(phone.page, "Continue"))
      yield* act(() => press(phone.page, "Send"))
      yield* act(() => heading(phone.page, "All done"))
      yield* act(() => desktop.page.getByText("No connection").waitFor())
      broken = false
      yield* act(() => heading(desktop.page, "All done"))

      // As well where it has ended before there is a code.
      const other = yield* desk({}, { steps: [steps.selfie, steps.review] })
      const { page } = other.desktop
      const { path, token } = other.session
      yield* act(() =>
        page.route(/\/(complete|handoffs)$/, async (route) => {
          if (route.request().url().endsWith("/complete")) return route.fulfill({ status: 500 })
          await send(company.server, "POST", `${path}/complete`, { json: { token } }).pipe(Effect.runPromise)
          await route.continue()
        })
      )
      yield* act(() => press(page, "Use your phone"))
      yield* act(() => page.getByRole("alert").waitFor())
      yield* act(() => page.unroute(/\/(complete|handoffs)$/))
      yield* act(() => press(page, "Try again"))
      yield* act(() => heading(page, "All done"))
      for (const visit of [desktop, phone, other.desktop]) expectNothingWrong(visit)
    }))

  test("waits for a photo that is being uploaded", () =>
    Effect.gen(function* () {
      const { desktop } = yield* desk()
      const { page } = desktop
      yield* act(() => consent(page))
      yield* act(() => passport(page, number()))
      const release = yield* act(() => holding(page, /\/files$/))
      yield* act(() => press(page, "Take photo"))
      yield* act(() => press(page, "Take the photo"))
      yield* act(() => press(page, "Use this photo"))
      yield* act(() => page.getByRole("status").getByText("Sending the file…").waitFor())
      const open = page.getByRole("button", { name: "Use your phone" })
      yield* act(() => expect.poll(() => open.getAttribute("aria-disabled")).toBe("true"))
      yield* act(() => open.click({ force: true }))
      release()
      yield* act(() => page.getByText("Received").waitFor())
      expect(desktop.seen.changing.filter((request) => request.endsWith("/handoffs"))).toEqual([])
      yield* act(() => open.click())
      yield* act(() => heading(page, "Continue on your phone"))
      expectNothingWrong(desktop)
    }))
})
