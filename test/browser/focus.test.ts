/** The heading of a new screen has the focus as soon as it is there: what the user goes to next is not taken from them. */
import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { goTo, openedDashboard } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { consent, PageCompany, prepared } from "../support/browser/kyc-page.ts"
import { act, heading } from "../support/browser/visit.ts"
import { TestServer } from "../support/server.ts"

/** Notes each heading that comes from now on, and whether it has the focus by then. */
const watching = (page: Page) =>
  act(() =>
    page.addInitScript(() => {
      const headings: Array<string> = []
      Object.assign(window, { headings })
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes) {
          for (const node of addedNodes) {
            if (!(node instanceof Element)) continue
            const heading = node.closest("h1") ?? node.querySelector("h1")
            if (heading === null) continue
            headings.push(
              `${heading.textContent}${heading === document.activeElement ? "" : ", without focus"}`
            )
          }
        }
      }).observe(document, { childList: true, subtree: true })
    })
  )

const noted = (page: Page) => page.evaluate<ReadonlyArray<string>>("headings")

inBrowser(Layer.merge(TestServer.layer, PageCompany.layer))("the heading of a new screen", (test) => {
  test("has the focus at once on the KYC page", () =>
    Effect.gen(function* () {
      const { link, page } = yield* prepared()
      yield* watching(page)
      yield* act(() => page.goto(link))
      yield* act(() => consent(page))
      yield* act(() => heading(page, "Your document"))
      yield* act(() => expect.poll(() => noted(page)).toEqual(["Before we begin", "Your document"]))
    }))

  test("has the focus at once in the dashboard", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* openedDashboard("/dashboard")
      yield* act(() => heading(page, "Acme"))
      yield* watching(page)
      yield* act(() => page.reload())
      yield* act(() => heading(page, "Acme"))
      yield* goTo(visit, "API keys")
      yield* act(() => expect.poll(() => noted(page)).toEqual(["Acme", "API keys"]))
    }))
})
