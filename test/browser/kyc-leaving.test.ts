import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Route } from "playwright-core"
import { inBrowser } from "../support/browser/in-browser.ts"
import { consent, opened, PageCompany, person, prepared, stepsOf } from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, heading, nothingWrong, press, wrongs } from "../support/browser/visit.ts"

inBrowser(PageCompany.layer)("leaving the KYC page", (test) => {
  test("asks for confirmation only if there is unsaved input", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({ workflow: stepsOf("consent", "person", "review") })
      const asked: Array<string> = []
      page.on("dialog", (dialog) => {
        asked.push(dialog.type())
        void dialog.accept()
      })
      yield* act(() => consent(page))
      yield* act(() => heading(page, "About you"))
      yield* act(() => page.reload())
      yield* act(() => heading(page, "About you"))
      expect(asked).toEqual([])
      // What is not saved yet would be lost.
      const unsent: Array<Route> = []
      yield* act(() => page.route(/\/progress$/, (route) => void unsent.push(route)))
      yield* act(() => page.getByLabel("First names").fill("Ada"))
      yield* act(() => page.reload())
      // It never arrives, as if the network had been lost: a page on its way out may still send it.
      yield* act(async () => {
        await page.unroute(/\/progress$/)
        for (const route of unsent) await route.abort()
      })
      yield* act(() => heading(page, "About you"))
      expect(asked).toEqual(["beforeunload"])
      yield* act(() => person(page))
      yield* act(() => heading(page, "Check and send"))
      yield* act(() => page.reload())
      yield* act(() => heading(page, "Check and send"))
      expect(asked).toEqual(["beforeunload"])
      expectNothingWrong(visit)
    }))

  const target = "http://partner.test:9/welcome?a=1&b=%C3%A4"
  const ended = (redirect: object) =>
    Effect.gen(function* () {
      const begun = yield* prepared({
        config: { redirect: { autoDelayMs: 1500, ...redirect } },
        workflow: { steps: [{ id: "consent", type: "consent" }] },
        session: { successRedirectUrl: target }
      })
      const { link, page } = begun
      const { promise: arrival, resolve: arrive } = Promise.withResolvers<void>()
      yield* act(() => page.clock.install())
      yield* act(() => page.goto(link))
      yield* act(() =>
        page.route("http://partner.test:9/**", async (route) => {
          await arrival
          await route.fulfill({ contentType: "text/html", body: "<h1>Welcome</h1>" })
        })
      )
      const sent = page.waitForRequest("http://partner.test:9/**")
      yield* act(() => consent(page))
      yield* act(() => heading(page, "All done"))
      /** Until `arrive`, the browser stays on the page while it is on its way to the partner. */
      return { ...begun, arrive: Effect.sync(arrive), sent }
    })

  test("redirects to an allowed host with the exact URL, after saying so and without a referrer", () =>
    Effect.gen(function* () {
      const { arrive, page, sent, visit } = yield* ended({ allowedHosts: ["partner.test"] })
      yield* act(() => page.getByText(/You will be taken to partner\.test:9 in \d seconds?/).waitFor())
      yield* arrive
      yield* act(() => heading(page, "Welcome"))
      yield* act(() => expect.poll(() => page.url()).toBe(target))
      yield* act(() => expect.poll(async () => (await (await sent).allHeaders()).referer).toBeUndefined())
      expect(wrongs(visit.seen)).toEqual({ ...nothingWrong, foreign: [target] })
    }))

  test("goes nowhere by itself when only other hosts are allowed; the way there is shown", () =>
    Effect.gen(function* () {
      const { arrive, page, visit } = yield* ended({ allowedHosts: ["example.com", "test"], autoDelayMs: 0 })
      yield* arrive
      yield* act(() => page.clock.fastForward("01:00"))
      expect(visit.seen.foreign).toEqual([])
      yield* act(() => press(page, "Continue to partner.test:9"))
      yield* act(() => heading(page, "Welcome"))
      yield* act(() => expect.poll(() => page.url()).toBe(target))
      expect(visit.seen.foreign).toEqual([target])
    }))
})
