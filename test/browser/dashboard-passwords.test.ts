/** Password fields as managers and fingers use them, and what a browser keeps of a dashboard that was signed out of. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { looksRight, openedDashboard } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong, press } from "../support/browser/visit.ts"
import { createKey } from "../support/client.ts"
import { TestServer } from "../support/server.ts"

inBrowser(TestServer.layer)("passwords in the dashboard", (test) => {
  test("are masked, can be pasted, and are labelled for password managers", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* openedDashboard("/dashboard/account")
      const secret = `${"correct horse battery staple ".repeat(4)}пароль`
      const check = (label: string, autocomplete: string) =>
        act(async () => {
          const field = page.getByLabel(label, { exact: true })
          await expect.poll(() => field.getAttribute("type")).toBe("password")
          await expect.poll(() => field.getAttribute("autocomplete")).toBe(autocomplete)
          await field.focus()
          // As a paste does it: all at once, through the event that a page could refuse.
          const pasted = await field.evaluate((it, text) => {
            const clipboardData = new DataTransfer()
            clipboardData.setData("text/plain", text)
            const allowed = it.dispatchEvent(
              new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true })
            )
            return allowed && document.execCommand("insertText", false, text)
          }, secret)
          expect(pasted).toBe(true)
          await expect.poll(() => field.inputValue()).toBe(secret)
        })
      yield* looksRight(visit, "Your account")
      yield* check("Current password", "current-password")
      yield* check("New password", "new-password")
      yield* act(() => expect.poll(() => page.locator("input[autocomplete=username]").count()).toBe(1))
      yield* act(() => visit.context.clearCookies())
      yield* act(() => page.goto(`${visit.origin}/dashboard`))
      yield* looksRight(visit, "Sign in")
      yield* check("Password", "current-password")
      yield* act(() => page.goto(`${visit.origin}/dashboard/sign-up`))
      yield* looksRight(visit, "Sign up")
      yield* check("Password", "new-password")
      expectNothingWrong(visit)
    }))

  test("leave nothing behind when the user signs out", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { member, page, visit } = yield* openedDashboard("/dashboard")
      yield* createKey(server, member, { name: "a key of the company" })
      yield* act(() => page.goto(`${visit.origin}/dashboard/keys`))
      yield* act(() => page.getByText("a key of the company").first().waitFor())
      yield* act(() => press(page, "Sign out"))
      yield* looksRight(visit, "Sign in")
      const kept = () =>
        page.evaluate(async () => ({
          session: Object.keys(sessionStorage),
          local: Object.keys(localStorage).filter((key) => key !== "scheme"),
          caches: await caches?.keys(),
          databases: await indexedDB.databases()
        }))
      yield* act(() => expect.poll(kept).toEqual({ session: [], local: [], caches: [], databases: [] }))
      for (const secret of ["a key of the company", member.email]) {
        yield* act(() => expect.poll(() => page.content()).not.toContain(secret))
      }
      yield* act(() => expect.poll(() => visit.context.cookies()).toStrictEqual([]))
      // Nor does the way back show it again.
      yield* act(() => page.goBack())
      yield* looksRight(visit, "Sign in")
      yield* act(() => expect.poll(() => page.content()).not.toContain("a key of the company"))
      expectNothingWrong(visit)
    }))
})
