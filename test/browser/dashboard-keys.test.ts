/** API keys in the dashboard, from creation to revocation. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { goTo, looksRight, openedDashboard } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, arrived, expectNothingWrong, hasFocus, press } from "../support/browser/visit.ts"
import { createKey, send, signUp } from "../support/client.ts"
import { TestServer } from "../support/server.ts"

inBrowser(TestServer.layer)("API keys in the dashboard", (test) => {
  test("a key is created, copied, used, shown as used, and revoked", () =>
    Effect.gen(function* () {
      const { page, server, visit } = yield* openedDashboard("/dashboard/keys", {
        browser: {
          viewport: { width: 1280, height: 800 },
          permissions: ["clipboard-read", "clipboard-write"]
        }
      })
      yield* looksRight(visit, "API keys")
      yield* act(() => page.getByText("No keys yet").waitFor())
      yield* act(() => page.getByRole("link", { name: "Create key" }).first().click())
      yield* looksRight(visit, "Create an API key")
      yield* act(() => press(page, "Create key"))
      yield* act(() => page.getByText("Name is required").waitFor())
      yield* act(() => page.getByLabel("Name", { exact: true }).fill("backend"))
      yield* act(() => page.getByLabel("Other scopes").fill("orders:read orders:write"))
      yield* looksRight(visit, "Create an API key")
      yield* act(() => page.getByLabel("Expires").selectOption("In 30 days"))
      yield* act(() => press(page, "Create key"))
      yield* looksRight(visit, "Your new key")
      yield* act(() => page.getByText("A scope of the key permits nothing: no route asks for it.").waitFor())
      yield* act(() => press(page, "Copy API key"))
      yield* act(() => page.getByText("Copied", { exact: true }).waitFor())
      const token = yield* act(() => page.evaluate(() => navigator.clipboard.readText()))
      expect(token).toMatch(/^dlk_[0-9A-Za-z]{49}$/)

      // The command on the page works.
      const command = yield* act(() => page.locator("pre").textContent())
      expect(command).toContain("http://doorlock.test/api/kyc/sessions")
      expect(command).toContain(`x-api-key: ${token}`)
      const used = yield* send(server, "GET", "/api/kyc/sessions", { headers: { "x-api-key": token } })
      expect(used.status).toBe(200)
      yield* server.run("keys.uses")

      yield* act(() => page.getByRole("link", { name: "I have copied it" }).click())
      yield* looksRight(visit, "API keys")
      const row = page.getByRole("row").filter({ hasText: "backend" })
      for (const shown of ["Active", "kyc:sessions:read", "orders:write"]) {
        yield* act(() => row.getByText(shown).waitFor())
      }
      const expires = yield* act(() => row.locator('[data-label="Expires"] time').getAttribute("datetime"))
      expect(Math.round((Date.parse(expires ?? "") - Date.now()) / 86_400_000)).toBe(30)
      // The secret is no longer on the page.
      yield* act(() => expect.poll(() => page.content()).not.toContain(token))

      yield* act(() => press(row, "Revoke backend"))
      const dialog = page.getByRole("dialog", { name: "Revoke “backend”?" })
      yield* act(() => press(dialog, "Cancel"))
      yield* act(() => dialog.waitFor({ state: "detached" }))
      yield* act(() => hasFocus(row.getByRole("button", { name: "Revoke backend" })))
      yield* act(() => press(row, "Revoke backend"))
      yield* act(() => press(dialog, "Revoke key"))
      yield* act(() => row.getByText("Revoked").waitFor())
      yield* act(() => dialog.waitFor({ state: "detached" }))
      // The button that opened the dialog is gone.
      yield* act(() => arrived(page, "API keys"))
      yield* looksRight(visit, "API keys")
      const refused = yield* send(server, "GET", "/api/kyc/sessions", { headers: { "x-api-key": token } })
      expect(refused.status).toBe(401)
      expectNothingWrong(visit)
    }))

  test("a failure to load can be retried; a viewer has no controls for changes", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const owner = yield* signUp(server)
      yield* createKey(server, owner, { name: "backend" })
      const { page, visit } = yield* openedDashboard("/dashboard", { owner, role: "viewer" })
      yield* looksRight(visit, "Acme")
      yield* act(() =>
        page.route("**/api/api-keys", (route) =>
          route.fulfill({ status: 500, json: { error: "Failed to list API keys" } })
        )
      )
      yield* goTo(visit, "API keys")
      yield* act(() => page.getByRole("alert").getByText("Failed to list API keys").waitFor())
      yield* act(() => page.unroute("**/api/api-keys"))
      yield* act(() => press(page, "Try again"))
      yield* act(() => page.getByText("backend").waitFor())
      yield* looksRight(visit, "API keys")
      yield* act(() => expect.poll(() => page.getByRole("button", { name: /Revoke/ }).count()).toBe(0))
      yield* act(() => expect.poll(() => page.getByRole("link", { name: "Create key" }).count()).toBe(0))
      // Its URL works for viewers, but shows no form.
      yield* act(() => page.goto(`${visit.origin}/dashboard/keys/new`))
      yield* looksRight(visit, "Create an API key")
      yield* act(() => page.getByText("You can view everything here, but not change it").waitFor())
      yield* act(() => expect.poll(() => page.getByRole("form").count()).toBe(0))
      expectNothingWrong(visit)
    }))
})
