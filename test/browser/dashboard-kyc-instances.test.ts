/** KYC instances in the dashboard, from the first one on. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { goTo, looksRight, openedDashboard, phone } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong, heading, nothingWrong, press, wrongs } from "../support/browser/visit.ts"
import { createInstance, createKey, send, signUp } from "../support/client.ts"
import { TestServer } from "../support/server.ts"

inBrowser(TestServer.layer)("KYC instances in the dashboard", (test) => {
  test("one is created, called as the page says, renamed, disabled and enabled again; its key is copied", () =>
    Effect.gen(function* () {
      const { owner, page, server, visit } = yield* openedDashboard("/dashboard", {
        browser: {
          viewport: { width: 1280, height: 800 },
          permissions: ["clipboard-read", "clipboard-write"]
        }
      })
      yield* goTo(visit, "Instances")
      yield* act(() => page.getByText("No instances yet").waitFor())
      yield* looksRight(visit, "Instances")
      yield* act(() => page.getByRole("link", { name: "Create instance" }).first().click())
      yield* looksRight(visit, "Create an instance")
      yield* act(() => press(page, "Create instance"))
      yield* act(() => page.getByText("Name is required").waitFor())
      yield* act(() => page.getByLabel("Name").fill("Customers"))
      yield* act(() => press(page, "Create instance"))
      yield* looksRight(visit, "Customers")

      yield* act(() => press(page, "Copy public key"))
      yield* act(() => page.getByText("Copied", { exact: true }).waitFor())
      const publicKey = yield* act(() => page.evaluate(() => navigator.clipboard.readText()))
      expect(publicKey).toMatch(/^kyc_pk_/)

      // What the page says to paste is a call that works, once it has a key.
      yield* act(() => press(page, "Copy Create a session"))
      const copied = () => page.evaluate(() => navigator.clipboard.readText())
      yield* act(() => expect.poll(copied).toContain("curl"))
      const command = yield* act(copied)
      const { token } = yield* createKey(server, owner)
      const [, url = ""] = /^curl http:\/\/doorlock\.test(\S+) /.exec(command) ?? []
      const [, body = ""] = /-d '([^']*)'$/.exec(command) ?? []
      expect(command).toContain("-H 'x-api-key: YOUR_API_KEY'")
      const create = send(server, "POST", url, { headers: { "x-api-key": token }, json: JSON.parse(body) })
      expect((yield* create).status).toBe(201)

      yield* act(() => page.getByLabel("Name", { exact: true }).fill(" "))
      yield* act(() => press(page, "Rename"))
      yield* act(() => page.getByText("Name must not be empty").waitFor())
      yield* act(() => page.getByLabel("Name", { exact: true }).fill("Drivers"))
      yield* act(() => press(page, "Rename"))
      yield* looksRight(visit, "Drivers")

      yield* act(() => page.getByRole("link", { name: "page settings" }).click())
      yield* act(() => page.getByText("Embedding", { exact: true }).click())
      yield* act(() => page.getByLabel("Origins that may embed the page").waitFor())
      yield* act(() => page.goBack())
      yield* act(() => heading(page, "Drivers"))

      yield* act(() => press(page, "Disable"))
      const asked = page.getByRole("dialog", { name: "Disable “Drivers”?" })
      yield* act(() => press(asked, "Cancel"))
      expect((yield* create).status).toBe(201)
      yield* act(() => press(page, "Disable"))
      yield* act(() => press(asked, "Disable"))
      yield* act(() => page.getByRole("alert").getByText("no session can be created with it").waitFor())
      expect((yield* create).status).toBe(404)
      yield* looksRight(visit, "Drivers")
      yield* act(() =>
        expect.poll(() => page.getByRole("button", { name: "Create test session" }).count()).toBe(0)
      )
      yield* goTo(visit, "Instances")
      yield* act(() => page.getByRole("row", { name: /Drivers.*Disabled/ }).waitFor())
      yield* looksRight(visit, "Instances")
      yield* act(() => page.goBack())
      yield* act(() => heading(page, "Drivers"))
      yield* act(() => press(page, "Enable"))
      yield* act(() => press(page.getByRole("dialog"), "Enable"))
      yield* act(() => page.getByRole("button", { name: "Create test session" }).waitFor())
      expect((yield* create).status).toBe(201)
      expectNothingWrong(visit)
    }))

  test("a test session is created, opens in its own tab, and is linked", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const owner = yield* signUp(server)
      const { id } = yield* createInstance(server, owner)
      const { page, visit } = yield* openedDashboard(`/dashboard/instances/${id}`, { owner, browser: phone })
      const { context, origin, seen } = visit
      // The public address is another one than that of this machine.
      yield* act(() =>
        context.route("http://doorlock.test/**", async (route) => {
          const { pathname, search } = new URL(route.request().url())
          await route.fulfill({ response: await route.fetch({ url: origin + pathname + search }) })
        })
      )
      yield* looksRight(visit, "test")
      // As where KYC_DEV_MODE does not allow them.
      const error = "KYC_DEV_MODE does not allow test sessions"
      yield* act(() =>
        page.route("**/test-session", (route) => route.fulfill({ status: 403, json: { error } }))
      )
      yield* act(() => press(page, "Create test session"))
      yield* act(() => page.getByRole("alert").getByText(error).waitFor())
      yield* act(() => page.unroute("**/test-session"))
      const opening = context.waitForEvent("page")
      yield* act(() => press(page, "Create test session"))
      const opened = yield* act(() => opening)
      yield* act(() => heading(opened, "Before we begin"))
      yield* act(() => opened.getByText("Test mode").waitFor())
      yield* act(() => opened.close())

      const dialog = page.getByRole("dialog", { name: "Your test session" })
      const link = yield* act(() =>
        dialog.getByRole("link", { name: "Open the session" }).getAttribute("href")
      )
      expect(link).toMatch(/^http:\/\/doorlock\.test\/kyc\/session\/[^/]+\?token=kyc_sess_/)
      yield* looksRight(visit, "test")
      yield* act(() => dialog.getByRole("link", { name: "See its progress" }).click())
      yield* looksRight(visit, "Session")
      yield* act(() => page.getByText("Test", { exact: true }).waitFor())
      expect(seen.foreign.filter((address) => !address.startsWith("http://doorlock.test/"))).toEqual([])
      expect(wrongs({ ...seen, foreign: [] })).toEqual(nothingWrong)
    }))
})
