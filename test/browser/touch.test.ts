/** On a touch screen, whatever is tapped is at least 44 pixels high, so that a thumb meets it. */
import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Locator, Page } from "playwright-core"
import { openedDashboard } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { consent, fullWorkflow, opened, PageCompany } from "../support/browser/kyc-page.ts"
import { act, heading, press, visitor } from "../support/browser/visit.ts"
import { createInstance, createKey, createSession, signUp } from "../support/client.ts"
import { becomePublisher, freshSlug, publishedApi } from "../support/marketplace/publisher.ts"
import { TestServer } from "../support/server.ts"

const touchScreen = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }

/** What a tap 21 pixels above or below its middle does not meet. Links within a sentence are as high as its line. */
const missed = (part: Locator) =>
  part.evaluate((part) => {
    const isInSentence = (it: Element | null): boolean =>
      it !== null &&
      getComputedStyle(it).display.startsWith("inline") &&
      ([...(it.parentElement?.childNodes ?? [])].some(
        (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? "").trim().length > 1
      ) ||
        isInSentence(it.parentElement))
    const targets = [
      ...part.querySelectorAll(
        "a, button, summary, select, textarea, input:not(label input), label:has(input)"
      )
    ]
    return targets.flatMap((it) => {
      const isPartOfText = it.matches("a, button") && isInSentence(it)
      if (!it.checkVisibility({ visibilityProperty: true }) || isPartOfText) return []
      it.scrollIntoView({ block: "center" })
      const { height, left, top, width } = it.getBoundingClientRect()
      // For screen readers and password managers only, or shown once it has the focus.
      if (it.closest(".visually-hidden") !== null || getComputedStyle(it).clipPath !== "none") return []
      const meets = (by: number) =>
        it.contains(document.elementFromPoint(left + width / 2, top + height / 2 + by))
      return meets(-21) && meets(21) ? [] : [`${it.tagName} ${it.textContent?.trim().slice(0, 40)} ${height}`]
    })
  })

const allMet = (page: Page, message: string, part = "body") =>
  act(() => expect.poll(() => missed(page.locator(part)), { message }).toEqual([]))

inBrowser(Layer.merge(TestServer.layer, PageCompany.layer))("on a touch screen", (test) => {
  test("everything in the dashboard is high enough for a thumb", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const owner = yield* signUp(server)
      const key = yield* createKey(server, owner)
      const instance = yield* createInstance(server, owner, { workflow: fullWorkflow })
      const session = yield* createSession(server, key.token, instance.id, {
        externalReference: "customer-1"
      })
      const api = yield* publishedApi(yield* becomePublisher(server, owner, { slug: freshSlug() }))
      const { page, visit } = yield* openedDashboard("/dashboard", { owner, browser: touchScreen })
      for (const path of [
        "",
        "/keys",
        "/keys/new",
        "/instances",
        `/instances/${instance.id}`,
        `/instances/${instance.id}/edit`,
        "/sessions",
        `/sessions/${session.id}`,
        "/reviews",
        "/webhooks",
        "/webhooks/new",
        "/events",
        "/marketplace",
        "/publishing",
        `/publishing/${api.id}`,
        `/publishing/${api.id}/versions/new`,
        "/members",
        "/audit",
        "/account"
      ]) {
        yield* act(() => page.goto(`${visit.origin}/dashboard${path}`))
        yield* act(() => page.locator("h1").waitFor())
        yield* act(() => expect.poll(() => page.getByText("Loading…").count()).toBe(0))
        const problems = page.locator(".alert.problem")
        yield* act(() => expect.poll(() => problems.allTextContents(), { message: path }).toEqual([]))
        yield* allMet(page, path)
      }
      yield* act(() => press(page, "Menu"))
      yield* act(() => page.getByRole("navigation", { name: "Main" }).waitFor())
      yield* allMet(page, "the menu")
    }))

  test("everything on the front page and in the docs is high enough for a thumb", () =>
    Effect.gen(function* () {
      const { origin, page } = yield* visitor({ server: yield* TestServer }, touchScreen)
      for (const path of ["/", "/docs", "/docs/operations/kyc-session-creation.create"]) {
        yield* act(() => page.goto(origin + path))
        yield* act(() => page.locator("h1").waitFor())
        yield* allMet(page, path)
      }
      yield* act(() => press(page, "Contents"))
      yield* act(() => page.getByRole("navigation", { name: "Docs" }).waitFor())
      yield* allMet(page, "the contents", "#contents")
    }))

  test("everything on the hosted page is high enough for a thumb", () =>
    Effect.gen(function* () {
      const { page } = yield* opened({ browser: touchScreen, workflow: fullWorkflow })
      yield* act(() => heading(page, "Before we begin"))
      yield* act(() => press(page, "Agree and continue"))
      yield* act(() => page.getByText("Please check your entries").waitFor())
      yield* allMet(page, "consent")
      yield* act(() => consent(page))
      yield* act(() => heading(page, "About you"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => page.getByText("Please check your entries").waitFor())
      yield* allMet(page, "person")
    }))
})
