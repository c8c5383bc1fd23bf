import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { browser } from "../support/browser/chromium.ts"
import { DocsServer, layer as docsServer } from "../support/browser/docs-server.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act } from "../support/browser/visit.ts"

/** What a page did that it must not do, filled as it happens. */
const watch = (page: Page, origin: string) => {
  const seen = { foreign: [] as string[], changing: [] as string[], complaints: [] as string[] }
  page.on("request", (request) => {
    const { protocol, origin: target } = new URL(request.url())
    if (protocol !== "data:" && target !== origin) seen.foreign.push(request.url())
    if (request.method() !== "GET") seen.changing.push(`${request.method()} ${request.url()}`)
  })
  // Violations of the policy are reported on the console, as are assets that do not load and uncaught errors.
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") seen.complaints.push(message.text())
  })
  page.on("pageerror", (error) => seen.complaints.push(String(error)))
  return seen
}

const nothing = { foreign: [], changing: [], complaints: [] }

/** The page with its operations, which a page with scripts shows once it has the document. */
const opened = (options: Parameters<typeof browser>[0] = {}) =>
  Effect.gen(function* () {
    const origin = yield* DocsServer
    const context = yield* browser(options)
    const page = yield* Effect.promise(() => context.newPage())
    const seen = watch(page, origin)
    yield* Effect.promise(() => page.goto(`${origin}/docs`))
    if (options.javaScriptEnabled !== false) yield* act(() => page.locator(".opblock").last().waitFor())
    return { origin, page, seen }
  })

inBrowser(docsServer)("the docs page in a browser", (test) => {
  test("shows the operations within its content security policy, without foreign or changing requests", () =>
    Effect.gen(function* () {
      const { page, seen } = yield* opened()
      yield* act(() => page.getByText("/doors/{id}/open").waitFor())
      yield* act(() => expect.poll(() => page.locator(".opblock").count()).toBe(2))
      yield* act(() => expect.poll(() => page.title()).toBe("doorlock API"))
      expect(seen).toEqual(nothing)
    }))

  test("sends a trial request to its own server, whatever address the document names", () =>
    Effect.gen(function* () {
      const { origin, page, seen } = yield* opened()
      yield* act(() => page.locator(".opblock-get .opblock-summary-control").click())
      yield* act(() => page.getByRole("button", { name: "Execute" }).click())
      const answer = page.locator(".live-responses-table")
      for (const shown of ["200", '"front"']) {
        yield* act(() => expect.poll(() => answer.textContent()).toContain(shown))
      }
      yield* act(() =>
        expect.poll(() => page.locator(".request-url").textContent()).toContain(`${origin}/doors`)
      )
      expect(seen).toEqual(nothing)
    }))

  test("fits a phone and follows the user's colour scheme", () =>
    Effect.gen(function* () {
      const phone = { viewport: { width: 390, height: 844 }, colorScheme: "dark" } as const
      const { page, seen } = yield* opened(phone)
      const look = () =>
        page.evaluate(() => ({
          overflow: document.documentElement.scrollWidth - innerWidth,
          ground: getComputedStyle(document.body).backgroundColor
        }))
      yield* act(() => expect.poll(look).toEqual({ overflow: 0, ground: "rgb(17, 20, 27)" }))
      yield* act(() => page.emulateMedia({ colorScheme: "light" }))
      yield* act(() => expect.poll(look).toEqual({ overflow: 0, ground: "rgb(244, 246, 251)" }))
      expect(seen).toEqual(nothing)
    }))

  test("links to the document if scripts are disabled", () =>
    Effect.gen(function* () {
      const { page } = yield* opened({ javaScriptEnabled: false })
      yield* act(() => page.getByRole("link", { name: "/openapi.json" }).click())
      yield* act(() => page.getByText('"openapi"').waitFor())
    }))
})
