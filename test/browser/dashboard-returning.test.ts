/** Who goes back to a list finds it as they left it: its rows, how far it was scrolled, and the link that had the focus. */
import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Locator, Page } from "playwright-core"
import { goTo, openedDashboard, phone } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  act,
  arrived,
  expectNothingWrong,
  failing,
  hasFocus,
  holding,
  press
} from "../support/browser/visit.ts"
import { createInstance, createKey, createSession, send, signUp } from "../support/client.ts"
import { becomePublisher, freshSlug, publishedApi } from "../support/marketplace/publisher.ts"
import { TestServer } from "../support/server.ts"
import { hooked, startReceiver, WebhookServer } from "../support/webhooks/receiver.ts"

const layer = Layer.provideMerge(Layer.effect(TestServer, WebhookServer), WebhookServer.layer)

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

inBrowser(layer)("going back to a list of the dashboard", (test) => {
  test("shows its rows at once, and loads them again: a session that has changed meanwhile says so", () =>
    Effect.gen(function* () {
      const { first, owner, server } = yield* company(45)
      const { page, visit } = yield* openedDashboard("/dashboard/sessions", { owner })
      const rows = rowsOf(page)
      yield* have(rows, 20)
      yield* act(() => press(page, "Load more"))
      yield* have(rows, 40)
      yield* act(() => press(page, "Load more"))
      yield* have(rows, 45)
      const link = page.getByRole("link", { name: "customer-1", exact: true })
      const top = yield* opening(page, link)
      yield* send(server, "POST", `${first.path}/complete`, {
        json: { token: first.token, status: "failed" }
      })
      const arrive = yield* act(() => holding(page, /api\/kyc\/sessions\?/))
      yield* act(() => page.goBack())
      yield* have(rows, 45)
      yield* isAsLeft(page, link, top)
      arrive()
      yield* act(() => page.getByRole("row", { name: /customer-1\b.*Failed/ }).waitFor())
      yield* have(rows, 45)
      yield* isAsLeft(page, link, top)

      // A page that is opened anew begins at its start.
      yield* act(() => page.getByRole("navigation").getByRole("link", { name: "Events" }).click())
      yield* act(() => arrived(page, "Events"))
      yield* act(() => page.getByRole("navigation").getByRole("link", { name: "Sessions" }).click())
      yield* act(() => arrived(page, "Sessions"))
      yield* have(rows, 20)
      yield* act(() => expect.poll(() => scrolled(page)).toBe(0))
      expectNothingWrong(visit)
    }))

  test("that does not load again says so, and a second attempt loads all of its rows", () =>
    Effect.gen(function* () {
      const { owner } = yield* company(45)
      const { page, visit } = yield* openedDashboard("/dashboard/sessions", { owner })
      const rows = rowsOf(page)
      yield* have(rows, 20)
      yield* act(() => press(page, "Load more"))
      yield* have(rows, 40)
      yield* opening(page, page.getByRole("link", { name: "customer-7", exact: true }))
      const answer = yield* act(() => failing(page, /api\/kyc\/sessions\?/))
      yield* act(() => page.goBack())
      yield* act(() => page.getByText("Loading failed").waitFor())
      answer.status = undefined
      yield* act(() => press(page, "Try again"))
      yield* have(rows, 40)
      expectNothingWrong(visit)
    }))

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

  test("is the same from an event and from a delivery, whose lists change by themselves", () =>
    Effect.gen(function* () {
      const { add, ask, attemptDue, happen, member } = yield* hooked
      const receiver = yield* startReceiver
      const endpoint = yield* add(receiver.url)
      yield* Effect.replicateEffect(happen, 59, { concurrency: 8 })
      yield* ask("GET", "/api/events")
      yield* attemptDue
      for (const path of ["/dashboard/events", `/dashboard/webhooks/${endpoint.id}`]) {
        const { page, visit } = yield* openedDashboard(path, { owner: member })
        const rows = rowsOf(page)
        yield* have(rows, 50)
        yield* act(() => press(page, "Load more"))
        yield* act(() => expect.poll(() => rows.count()).toBeGreaterThanOrEqual(59))
        const count = yield* act(() => rows.count())
        // All are called the same.
        const href = yield* act(() => rows.nth(57).getByRole("link").getAttribute("href"))
        const link = page.locator(`main a[href="${href}"]`)
        const top = yield* opening(page, link)
        yield* act(() => page.goBack())
        yield* have(rows, count)
        yield* isAsLeft(page, link, top)
        expectNothingWrong(visit)
      }
    }))

  test("is the same from an API of the marketplace", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const owner = yield* signUp(server)
      const publisher = yield* becomePublisher(server, owner, { slug: freshSlug() })
      for (let made = 0; made < 30; made++) yield* publishedApi(publisher, undefined, { name: `API ${made}` })
      const { page, visit } = yield* openedDashboard("/dashboard/marketplace", { owner })
      const cards = page.locator("main li h2")
      yield* have(cards, 24)
      yield* act(() => press(page, "Load more"))
      yield* act(() => expect.poll(() => cards.count()).toBeGreaterThanOrEqual(30))
      const count = yield* act(() => cards.count())
      const link = cards.nth(26).getByRole("link")
      const top = yield* opening(page, link)
      const arrive = yield* act(() => holding(page, /apis\?/))
      yield* act(() => page.goBack())
      yield* have(cards, count)
      yield* isAsLeft(page, link, top)
      arrive()
      expectNothingWrong(visit)
    }))

  test("shows no rows of another filter whose own rows had not arrived when the user left", () =>
    Effect.gen(function* () {
      const { owner } = yield* company(3)
      const { page, visit } = yield* openedDashboard("/dashboard/sessions", { owner })
      yield* have(rowsOf(page), 3)
      const arrive = yield* act(() => holding(page, /api\/kyc\/sessions\?/))
      yield* act(() => page.getByLabel("Status").selectOption("completed"))
      yield* have(rowsOf(page), 0)
      yield* goTo(visit, "Events")
      yield* act(() => page.goBack())
      yield* act(() => arrived(page, "Sessions"))
      yield* act(() => page.getByText("Loading…").waitFor())
      yield* have(rowsOf(page), 0)
      arrive()
      yield* act(() => page.getByText("No session matches").waitFor())
      expectNothingWrong(visit)
    }))

  test("begins at its start if the user has been to twenty pages since", () =>
    Effect.gen(function* () {
      const { owner } = yield* company(21)
      const { page, visit } = yield* openedDashboard("/dashboard/sessions", { owner })
      const rows = rowsOf(page)
      yield* have(rows, 20)
      yield* act(() => press(page, "Load more"))
      yield* have(rows, 21)
      const back = (steps: number) => act(() => page.evaluate((by) => history.go(-by), steps))
      const pages = ["Events", "Instances"] as const
      for (let visited = 0; visited < 19; visited++) yield* goTo(visit, pages[visited % 2] ?? "Events")
      yield* back(19)
      yield* act(() => arrived(page, "Sessions"))
      yield* have(rows, 21)
      for (let visited = 0; visited < 20; visited++) yield* goTo(visit, pages[visited % 2] ?? "Events")
      yield* back(20)
      yield* act(() => arrived(page, "Sessions"))
      yield* have(rows, 20)
      expectNothingWrong(visit)
    }))

  test("that was left by the navigation does not scroll by itself when it grows", () =>
    Effect.gen(function* () {
      const { owner } = yield* company(20)
      const { page, visit } = yield* openedDashboard("/dashboard/sessions", { owner, browser: phone })
      yield* have(rowsOf(page), 20)
      yield* act(() => press(page, "Menu"))
      yield* goTo(visit, "Events")
      yield* act(() => page.goBack())
      yield* act(() => arrived(page, "Sessions"))
      yield* have(rowsOf(page), 20)
      // As by a scrollbar or an assistive technology, which send no event but the scrolling.
      const top = yield* act(() =>
        page.evaluate(async () => {
          scrollTo(0, 400)
          const { promise, resolve } = Promise.withResolvers<void>()
          const { clientHeight } = document.body
          // Observers are called in the order of their creation, so the page's own comes first.
          const observer = new ResizeObserver(() => {
            if (document.body.clientHeight > clientHeight) resolve()
          })
          observer.observe(document.body)
          document.body.append(Object.assign(document.createElement("p"), { textContent: "more" }))
          await promise
          return scrollY
        })
      )
      expect(top).toBe(400)
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

  test("shows nothing of the company before, once somebody else has signed in", () =>
    Effect.gen(function* () {
      const { owner, server } = yield* company(3)
      const other = yield* signUp(server)
      const { page, visit } = yield* openedDashboard("/dashboard/sessions", { owner })
      yield* have(rowsOf(page), 3)
      yield* act(() => page.getByRole("link", { name: "customer-1", exact: true }).click())
      yield* act(() => arrived(page, "customer-1"))
      yield* act(() => press(page, "Sign out"))
      yield* act(() => page.getByLabel("Email").fill(other.email))
      yield* act(() => page.getByLabel("Password").fill(other.password))
      yield* act(() => press(page, "Sign in"))
      yield* act(() => arrived(page, "Acme"))
      const arrive = yield* act(() => holding(page, /api\/kyc\/sessions\?/))
      yield* act(() => page.goBack())
      yield* act(() => arrived(page, "Sessions"))
      yield* act(() => page.getByText("Loading…").waitFor())
      yield* act(() => expect.poll(() => rowsOf(page).count()).toBe(0))
      arrive()
      yield* act(() => page.getByText("No sessions yet").waitFor())
      expectNothingWrong(visit)
    }))
})
