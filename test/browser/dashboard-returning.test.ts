/** Who goes back to a list finds it as they left it: its rows, how far it was scrolled, and the link that had the focus. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import { openedDashboard } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, arrived, expectNothingWrong, holding, press } from "../support/browser/visit.ts"
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

inBrowser(TestServer.layer)("going back to a list of the dashboard", (test) => {
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
