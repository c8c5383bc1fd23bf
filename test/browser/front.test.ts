import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { serious } from "../support/browser/axe.ts"
import { desktop, phone } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong, hasFocus, heading, type Visit, visitor } from "../support/browser/visit.ts"
import { TestServer } from "../support/server.ts"

inBrowser(TestServer.layer)("the front page in a browser", (test) => {
  const opened = (options: Parameters<typeof visitor>[1]) =>
    Effect.gen(function* () {
      const visit = yield* visitor({ server: yield* TestServer }, options)
      yield* act(() => visit.page.goto(visit.origin))
      yield* act(() => heading(visit.page, "Know your users. Share your APIs."))
      return visit
    })

  /** On any device, light and dark. */
  const looksRight = (visit: Visit) =>
    Effect.gen(function* () {
      const { page } = visit
      for (const viewport of [desktop.viewport, phone.viewport, { width: 320, height: 568 }]) {
        yield* act(() => page.setViewportSize(viewport))
        for (const [colorScheme, ground] of [
          ["light", "rgb(244, 246, 251)"],
          ["dark", "rgb(17, 20, 27)"]
        ] as const) {
          yield* act(() => page.emulateMedia({ colorScheme }))
          const look = () =>
            page.evaluate(() => ({
              width: innerWidth,
              overflow: document.documentElement.scrollWidth - innerWidth,
              ground: getComputedStyle(document.documentElement).backgroundColor
            }))
          yield* act(() => expect.poll(look).toEqual({ width: viewport.width, overflow: 0, ground }))
          yield* act(() => expect.poll(() => serious(page)).toEqual([]))
        }
      }
      expectNothingWrong(visit)
    })

  test("is found without serious fault, and fits, on any device, light and dark", () =>
    Effect.flatMap(opened({}), looksRight))

  const lost = (options: Parameters<typeof visitor>[1]) =>
    Effect.gen(function* () {
      const visit = yield* visitor({ server: yield* TestServer }, options)
      yield* act(() => visit.page.goto(`${visit.origin}/nope`))
      yield* act(() => heading(visit.page, "There is no page here"))
      return visit
    })

  test("at an address that does not exist, is a page without serious fault that fits", () =>
    Effect.flatMap(lost({}), looksRight))

  test("an address that does not exist leads to the search of the docs", () =>
    Effect.gen(function* () {
      const visit = yield* lost({})
      const { page } = visit
      yield* act(() => page.getByLabel("Search the docs").fill("repeat a call safely"))
      yield* act(() => page.keyboard.press("Enter"))
      yield* act(() => page.waitForURL("**/docs?q=repeat+a+call+safely"))
      const found = page.getByRole("link", { name: "Errors and retries GUIDE Guides" })
      yield* act(() => found.waitFor())
      yield* act(() => hasFocus(page.getByRole("searchbox", { name: "Search the docs" })))
      yield* act(() => page.keyboard.press("Enter"))
      yield* act(() => page.waitForURL("**/docs/guides/errors"))
      expectNothingWrong(visit)
    }))
})
