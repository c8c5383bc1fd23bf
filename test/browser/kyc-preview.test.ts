/** Who may show a preview, and tell it what to show: nobody but a page of its own origin that has it in a frame. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { inBrowser } from "../support/browser/in-browser.ts"
import { PageCompany } from "../support/browser/kyc-page.ts"
import { partnerSite } from "../support/browser/partner-site.ts"
import { act, visitor } from "../support/browser/visit.ts"

inBrowser(PageCompany.layer)("the preview of the KYC page", (test) => {
  test("is not shown in a frame of another origin, even on the same site", () =>
    Effect.gen(function* () {
      const company = yield* PageCompany
      const site = yield* partnerSite(company.server.url)
      const { page, seen } = yield* visitor(company)
      for (const host of ["shop.localhost", "127.0.0.1"]) {
        const address = encodeURIComponent(`${company.server.url}/dashboard/preview`)
        const refused = page.waitForEvent("console", {
          predicate: (message) => message.text().includes("frame-ancestors 'self'")
        })
        yield* act(() => page.goto(`${site.origin(host)}/by-hand#${address}`))
        yield* act(() => refused)
      }
      expect(seen.changing).toEqual([])
    }))

  test("outside a frame, it ignores messages from its opener and itself", () =>
    Effect.gen(function* () {
      const company = yield* PageCompany
      const { context, page } = yield* visitor(company)
      yield* act(() => page.goto(`${company.server.url}/docs`))
      const opening = context.waitForEvent("page")
      yield* act(() => page.evaluate("window.preview = open('/dashboard/preview')"))
      const preview = yield* act(() => opening)
      yield* act(() => preview.waitForLoadState("load"))
      const draft = { source: "doorlock preview", config: { title: "Somebody else" }, workflow: {} }
      // From its opener, and from itself.
      yield* act(() => page.evaluate(`preview.postMessage(${JSON.stringify(draft)}, location.origin)`))
      yield* act(() => preview.evaluate(`postMessage(${JSON.stringify(draft)}, location.origin)`))
      // What it would have shown would be there after the next of its own messages.
      yield* act(() =>
        preview.evaluate(`new Promise((resolve) => {
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = () => requestAnimationFrame(() => setTimeout(resolve))
          port2.postMessage(0)
        })`)
      )
      yield* act(() => expect.poll(() => preview.getByRole("heading").count()).toBe(0))
      yield* act(() => expect.poll(() => preview.getByText("Somebody else").count()).toBe(0))
    }))
})
