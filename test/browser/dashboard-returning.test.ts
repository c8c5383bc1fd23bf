/** Who goes back to a list finds it as they left it: its rows, how far it was scrolled, and the link that had the focus. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import { openedDashboard, phone } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, arrived, expectNothingWrong, hasFocus, holding, press } from "../support/browser/visit.ts"
import { createInstance, createKey, createSession, signUp } from "../support/client.ts"
import { TestServer } from "../support/server.ts"

/** A company with so many sessions, `customer-1` being the oldest. */
const company = (sessions: number) =>
  Effect.gen(function* () {
    const server = yield* TestServer
    const owner = yield* signUp(server)
    const key = yield* createKey(server, owner)
    const instance = yield* createInstance(server, owner)
    const first = yield* createSession(server, key.token, instance.id, { externalReference: "customer-1" })
    for (let made = 1; made < sessions; made++) {
      yield* createSession(server, key.token, instance.id, { externalReference: `customer-${made + 1}` })
    }
    return { server, owner, first }
  })

const rowsOf = (page: Page) => page.getByRole("row").filter({ has: page.getByRole("rowheader") })

const have = (rows: Locator, count: number) => act(() => expect.poll(() => rows.count()).toBe(count))

const scrolled = (page: Page) => page.evaluate(() => Math.round(scrollY))

/** Opens a link far down the page, to a page whose heading is the same, and returns how far down the link was. */
const opening = (page: Page, link: Locator) =>
  Effect.gen(function* () {
    const title = (yield* act(() => link.textContent())) ?? ""
    yield* act(() => link.scrollIntoViewIfNeeded())
    const top = yield* act(() => scrolled(page))
    expect(top).toBeGreaterThan(300)
    yield* act(() => link.click())
    yield* act(() => arrived(page, title))
    yield* act(() => expect.poll(() => scrolled(page)).toBe(0))
    return top
  })

const isAsLeft = (page: Page, link: Locator, top: number) =>
  act(async () => {
    await hasFocus(link)
    await expect.poll(() => scrolled(page)).toBe(top)
  })

inBrowser(TestServer.layer)("going back to a list of the dashboard", (test) => {
  test("is the same by the link above the heading, by keyboard, on a phone, with its filters", () =>
    Effect.gen(function* () {
      const { owner } = yield* company(30)
      const { page, visit } = yield* openedDashboard("/dashboard/sessions?status=created", {
        owner,
        browser: phone
      })
      const rows = rowsOf(page)
      yield* have(rows, 20)
      yield* act(() => press(page, "Load more"))
      yield* have(rows, 30)
      const link = page.getByRole("link", { name: "customer-2", exact: true })
      const top = yield* opening(page, link)
      yield* act(() => page.keyboard.press("Shift+Tab"))
      yield* act(() => hasFocus(page.locator("main").getByRole("link", { name: "Sessions" })))
      yield* act(() => page.keyboard.press("Enter"))
      yield* have(rows, 30)
      yield* isAsLeft(page, link, top)
      yield* act(() => page.waitForURL(/[?&]status=created(?:&|$)/))

      // Forward, and back again.
      yield* act(() => page.goForward())
      yield* act(() => arrived(page, "customer-2"))
      yield* act(() => page.goBack())
      yield* isAsLeft(page, link, top)

      // Somebody who came from elsewhere gets the list from its start.
      const address = yield* act(() => link.getAttribute("href"))
      yield* act(() => page.goto(visit.origin + address))
      yield* act(() => arrived(page, "customer-2"))
      yield* act(() => page.locator("main").getByRole("link", { name: "Sessions" }).click())
      yield* act(() => arrived(page, "Sessions"))
      yield* have(rows, 20)
      expectNothingWrong(visit)
    }))

  test("shows nothing of the company before, even while the page after the sign-in is on its way", () =>
    Effect.gen(function* () {
      const { owner, server } = yield* company(3)
      const other = yield* signUp(server)
      const { page, visit } = yield* openedDashboard("/dashboard/sessions", { owner })
      yield* have(rowsOf(page), 3)
      const arriveOverview = yield* act(() => holding(page, /\/dashboard\/assets\/overview-/))
      yield* act(() => press(page, "Sign out"))
      yield* act(() => page.getByLabel("Email").fill(other.email))
      yield* act(() => page.getByLabel("Password").fill(other.password))
      const arrive = yield* act(() => holding(page, /api\/kyc\/sessions\?/))
      yield* act(() => press(page, "Sign in"))
      yield* act(() => arrived(page, "Sessions"))
      yield* act(() => page.locator("main").getByText("Loading…").waitFor())
      yield* have(rowsOf(page), 0)
      arrive()
      arriveOverview()
      yield* act(() => arrived(page, "Acme"))
      expectNothingWrong(visit)
    }))
})
