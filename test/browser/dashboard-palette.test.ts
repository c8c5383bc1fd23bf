/** The search over everything in the dashboard, by the keyboard alone. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { serious } from "../support/browser/axe.ts"
import { openedDashboard } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, arrived, expectNothingWrong, hasFocus, heading } from "../support/browser/visit.ts"
import { createInstance, createKey } from "../support/client.ts"
import { reviewingCompany, waitingSession } from "../support/kyc/reviews.ts"
import { TestServer } from "../support/server.ts"

const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Search" })
const fieldOf = (page: Page) => dialogOf(page).getByRole("combobox")
const optionsOf = (page: Page) => dialogOf(page).getByRole("option")

/** Opens the search by the keyboard. */
const open = (page: Page) =>
  act(async () => {
    await page.keyboard.press("Control+k")
    await hasFocus(fieldOf(page))
  })

const type = (page: Page, query: string) =>
  act(async () => {
    await page.keyboard.press("ControlOrMeta+a")
    await page.keyboard.insertText(query)
  })

/** Waits until the first results begin with these. */
const finds = (page: Page, ...texts: ReadonlyArray<string>) =>
  act(() =>
    expect
      .poll(async () => (await optionsOf(page).allInnerTexts()).slice(0, texts.length))
      .toEqual(texts.map((text) => expect.stringContaining(text)))
  )

const findsNothing = (page: Page) => act(() => dialogOf(page).getByText("Nothing found.").waitFor())

inBrowser(TestServer.layer)("the search of the dashboard", (test) => {
  test("an owner goes to pages, keys, sessions and actions by the keyboard alone", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany(yield* TestServer)
      const { member, server } = company
      const key = yield* createKey(server, member, { name: "Backend of the shop" })
      yield* createKey(server, member, { name: "Another one" })
      yield* createInstance(server, member, { name: "Couriers" })
      const session = yield* waitingSession(company, { externalReference: "Ada Lovelace" })
      const { page, visit } = yield* openedDashboard("/dashboard/members", { owner: member })
      yield* act(() => heading(page, "Members"))
      // A dialog, a closed one too, gives the focus back.
      yield* act(() => page.getByRole("button", { name: "Search" }).focus())
      yield* open(page)
      yield* finds(page, "Create an API key", "Create an instance")
      yield* act(() => expect.poll(() => serious(page)).toEqual([]))
      yield* act(() => page.keyboard.press("Escape"))
      yield* act(() => hasFocus(page.getByRole("button", { name: "Search" })))

      // Down and up, past both ends; the option that Enter opens is the one that is announced.
      yield* open(page)
      const active = () =>
        page.evaluate(() => {
          const named = document.activeElement?.getAttribute("aria-activedescendant") ?? ""
          const option = document.getElementById(named)
          return `${option?.getAttribute("aria-selected")} ${option?.querySelector("bdi")?.textContent}`
        })
      const first = "true Create an API key"
      yield* act(() => expect.poll(active).toBe(first))
      yield* act(() => page.keyboard.press("ArrowUp"))
      yield* act(() => expect.poll(active).toBe("true Your account"))
      yield* act(() => page.keyboard.press("ArrowDown"))
      yield* act(() => expect.poll(active).toBe(first))
      yield* type(page, "audit trail")
      yield* finds(page, "Audit trail")
      yield* act(() => page.keyboard.press("Enter"))
      yield* act(() => arrived(page, "Audit trail"))

      yield* open(page)
      yield* finds(page, "Audit trail", "Create an API key")
      yield* type(page, "shop")
      yield* finds(page, "Backend of the shop")
      // A pasted key is found by its prefix. No secret becomes part of an address, or stays in the tab.
      const asked: Array<string> = []
      page.on("request", (request) => asked.push(request.url()))
      const secret = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
      for (const pasted of [
        `kyc_sess_${secret}`,
        `whsec_${secret}`,
        `dls_${secret}`,
        `dli_${secret}`,
        `dk_live_${secret}`,
        `dk_test_${secret}`,
        `https://id.example.com/kyc/session/${session.id}?token=${secret}`
      ]) {
        yield* type(page, pasted)
        yield* findsNothing(page)
      }
      yield* type(page, key.token)
      yield* finds(page, "Backend of the shop")
      yield* act(() => page.keyboard.press("Enter"))
      yield* act(() => arrived(page, "API keys"))
      yield* act(() => page.getByText("Only one key is shown.").waitFor())
      yield* act(() => expect.poll(() => page.getByRole("row").count()).toBe(2))
      const kept = yield* act(() => page.evaluate(() => JSON.stringify([sessionStorage, localStorage])))
      expect(kept).toContain("Backend of the shop")
      expect(
        [...asked, kept].filter((text) => [key.token, secret].some((one) => text.includes(one)))
      ).toEqual([])

      // A session is found by exactly its reference, and by its id.
      yield* open(page)
      yield* type(page, "Ada Lovelace")
      yield* finds(page, "Ada Lovelace", "Ada Lovelace")
      yield* type(page, session.id)
      yield* finds(page, "Ada Lovelace", "Ada Lovelace")
      yield* act(() => page.keyboard.press("Enter"))
      yield* act(() => page.waitForURL(`**/dashboard/reviews/${session.id}`))
      const stored = yield* act(() => page.evaluate(() => JSON.stringify(sessionStorage)))
      expect(stored).toContain(session.id)
      expect(stored).not.toContain("Ada")

      yield* open(page)
      // The shortcut closes the search, too, and opens none over another dialog.
      yield* act(() => page.keyboard.press("Control+k"))
      yield* act(() => dialogOf(page).waitFor({ state: "detached" }))
      yield* act(() => page.goto(`${visit.origin}/dashboard/keys`))
      yield* act(() => page.getByRole("button", { name: "Revoke Another one" }).press("Enter"))
      const confirm = page.getByRole("dialog", { name: "Revoke “Another one”?" })
      yield* act(() => confirm.waitFor())
      yield* act(() => page.keyboard.press("Control+k"))
      yield* act(() => page.keyboard.press("Escape"))
      yield* act(() => confirm.waitFor({ state: "detached" }))
      yield* act(() => expect.poll(() => dialogOf(page).count()).toBe(0))

      yield* open(page)
      yield* type(page, "sign out")
      yield* finds(page, "Sign out")
      yield* act(() => page.keyboard.press("Enter"))
      yield* act(() => heading(page, "Sign in"))
      yield* act(() => expect.poll(() => page.evaluate(() => Object.keys(sessionStorage))).toEqual([]))
      expectNothingWrong(visit)
    }))
})
