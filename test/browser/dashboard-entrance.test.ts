/** Ways into the dashboard and out of it, as a new user walks them. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { desktop, goTo, looksRight, openedDashboard, phone } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong, heading, press, visitor } from "../support/browser/visit.ts"
import { send, signUp } from "../support/client.ts"
import { execute } from "../support/postgres.ts"
import { startServer, TestServer } from "../support/server.ts"

const password = "correct horse battery staple"

const someone = () => `someone-${crypto.randomUUID()}@example.com`

inBrowser(TestServer.layer)("signing in to the dashboard", (test) => {
  test("signs up, signs out, and signs in again at the requested address", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const visit = yield* visitor({ server }, desktop)
      const { page } = visit
      const email = someone()
      // Who is signed in is asked only with a session: the 401 would be an error on the console.
      const refused: Array<string> = []
      page.on("response", (response) => {
        if (response.status() === 401) refused.push(response.url())
      })
      yield* act(() => page.goto(`${visit.origin}/dashboard/keys`))
      yield* looksRight(visit, "Sign in")
      expect(refused).toEqual([])
      yield* act(() => page.getByRole("link", { name: "doorlock" }).click())
      yield* act(() => heading(page, "Know your users. Share your APIs."))
      yield* act(() => page.goBack())
      yield* looksRight(visit, "Sign in")
      yield* act(() => page.getByRole("link", { name: "Sign up your company" }).click())
      yield* looksRight(visit, "Sign up")
      yield* act(async () => {
        await page.getByLabel("Company name").fill("Lovelace & Sons")
        await page.getByLabel("Email").fill(email)
        await page.getByLabel("Password").fill(password)
        await press(page, "Sign up")
      })
      yield* looksRight(visit, "Lovelace & Sons")
      yield* act(() => press(page, "Sign out"))
      yield* looksRight(visit, "Sign in")
      yield* act(async () => {
        await page.goto(`${visit.origin}/dashboard/keys`)
        await page.getByLabel("Email").fill(email)
        await page.getByLabel("Password").fill(password)
        await page.keyboard.press("Enter")
      })
      yield* looksRight(visit, "API keys")
      yield* goTo(visit, "Your account")
      yield* act(() => page.getByRole("link", { name: "API documentation" }).click())
      yield* act(() => page.waitForURL("**/docs"))
      expectNothingWrong(visit)
    }))

  test("a failed sign-out is reported; a form keeps its input when the session ends and the user signs in again", () =>
    Effect.gen(function* () {
      const { member, page, server, visit } = yield* openedDashboard("/dashboard/keys/new")
      yield* act(() => page.getByLabel("Name", { exact: true }).fill("sign-up service"))
      yield* act(() => page.route("**/api/auth/logout", (route) => route.abort()))
      yield* act(() => press(page, "Sign out"))
      yield* act(() => press(page.getByRole("dialog", { name: "Leave without saving?" }), "Leave"))
      yield* act(() => page.getByText("doorlock cannot be reached").waitFor())
      yield* Effect.orDie(
        execute(server.databaseUrl, "delete from dashboard_sessions where user_id = $1", [member.userId])
      )
      yield* act(() => press(page, "Create key"))
      const dialog = page.getByRole("dialog", { name: "Your session has ended" })
      yield* act(() => dialog.waitFor())
      yield* act(() => expect.poll(() => dialog.getByLabel("Email").inputValue()).toBe(member.email))
      // There is no way around it: what waits for it would wait for good.
      for (let times = 0; times < 3; times++) yield* act(() => page.keyboard.press("Escape"))
      yield* act(() => expect.poll(() => dialog.evaluate((it) => it.matches(":modal"))).toBe(true))
      yield* act(() => dialog.getByLabel("Password").fill("wrong"))
      yield* act(() => press(dialog, "Sign in"))
      yield* act(() => dialog.getByText("Invalid email or password").waitFor())
      yield* act(() => dialog.getByLabel("Password").fill(member.password))
      yield* act(() => press(dialog, "Sign in"))
      // The very request that found the session ended is sent again.
      yield* looksRight(visit, "Your new key")
      yield* act(() => page.getByText("“sign-up service” is ready to use.").waitFor())
      const { body } = yield* send(server, "POST", "/api/auth/login", {
        json: { email: member.email, password: member.password }
      })
      expect(body).toMatchObject({ ok: true })
      expectNothingWrong(visit)
    }))

  test("signing out, or in as another user, applies to all tabs; no tab acts as the wrong user", () =>
    Effect.gen(function* () {
      const { member, page, server, visit } = yield* openedDashboard("/dashboard/keys/new")
      const other = yield* signUp(server)
      const tab = yield* act(() => visit.context.newPage())
      const signIn = ({ email }: { readonly email: string }) =>
        act(async () => {
          await heading(tab, "Sign in")
          await tab.getByLabel("Email").fill(email)
          await tab.getByLabel("Password").fill(password)
          await press(tab, "Sign in")
          await heading(tab, "Acme")
        })
      const ended = page.getByRole("dialog", { name: "Your session has ended" })
      const taken = page.getByRole("dialog", { name: "Somebody else has signed in" })
      yield* act(() => page.getByLabel("Name", { exact: true }).fill("sign-up service"))
      yield* act(() => tab.goto(`${visit.origin}/dashboard`))
      yield* act(() => press(tab, "Sign out"))
      yield* act(() => ended.waitFor())
      // What the page shows, maybe a secret, is not for who comes next.
      const backdrop = () => ended.evaluate((it) => getComputedStyle(it, "::backdrop").backgroundColor)
      yield* act(() => expect.poll(backdrop).toMatch(/^rgb\(\d+, \d+, \d+\)$/))
      yield* signIn(other)
      yield* act(() => taken.getByText(member.email).first().waitFor())
      yield* act(() => press(tab, "Sign out"))
      yield* act(() => ended.waitFor())
      yield* signIn(member)
      yield* act(() => ended.waitFor({ state: "detached" }))
      yield* act(() => press(page, "Create key"))
      yield* looksRight(visit, "Your new key")
      yield* act(() => page.getByText("“sign-up service” is ready to use.").waitFor())
      expectNothingWrong(visit)
    }))

  test("where sign-up is closed, nobody is asked to fill in a form in vain", () =>
    Effect.gen(function* () {
      const server = yield* Effect.orDie(startServer({ SIGNUP: "closed" }))
      const visit = yield* visitor({ server }, phone)
      const { page } = visit
      yield* act(() => page.goto(`${visit.origin}/dashboard/sign-up`))
      yield* looksRight(visit, "Sign-up is closed")
      yield* act(() => page.getByRole("link", { name: "Sign in" }).click())
      yield* looksRight(visit, "Sign in")
      yield* act(() => expect.poll(() => page.getByText("New here?").count()).toBe(0))
      expectNothingWrong(visit)
    }))

  test("after an update, a page whose script is gone is loaded again, once", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* openedDashboard("/dashboard/members")
      yield* looksRight(visit, "Members")
      let loads = 0
      page.on("request", (request) => {
        if (request.isNavigationRequest()) loads += 1
      })
      const gone = "**/dashboard/assets/keys-*.js"
      // The page that was open asks for a script of the version before the update.
      yield* act(() =>
        page.route(gone, (route) => (loads === 0 ? route.fulfill({ status: 404 }) : route.fallback()))
      )
      yield* act(() => page.getByRole("link", { name: "API keys" }).click())
      yield* act(() => heading(page, "API keys"))
      yield* act(() => page.waitForURL("**/dashboard/keys"))
      expect(loads).toBe(1)
      // The next server still has the version before it: a second reload would not help.
      yield* act(() =>
        page.route("**/dashboard/assets/audit-*.js", (route) => route.fulfill({ status: 404 }))
      )
      yield* act(() => page.getByRole("link", { name: "Audit trail" }).click())
      yield* act(() => heading(page, "Something went wrong on this page"))
      expect(loads).toBe(2)
      yield* act(() => page.getByRole("link", { name: "Members" }).click())
      yield* act(() => heading(page, "Members"))
      expect(loads).toBe(2)
    }))

  test("an unknown address says so; the HTML has a text for browsers without scripts", () =>
    Effect.gen(function* () {
      const { page, server, visit } = yield* openedDashboard("/dashboard/nothing/here")
      yield* looksRight(visit, "Page not found")
      yield* act(() => page.getByRole("link", { name: "Go to the overview" }).click())
      yield* looksRight(visit, "Acme")
      yield* act(() => page.goBack())
      yield* looksRight(visit, "Page not found")
      yield* act(() => page.goto(`${visit.origin}/dashboard/keys/`))
      yield* looksRight(visit, "API keys")
      const { headers, text } = yield* send(server, "GET", "/dashboard/nothing/here")
      expect(text).toContain("<noscript>")
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: data:; font-src 'self'; " +
          "frame-src 'self'; base-uri 'none'; form-action 'none'; object-src 'none'; frame-ancestors 'none'; " +
          "require-trusted-types-for 'script'; trusted-types 'none'"
      )
      expect(headers.get("cache-control")).toBe("no-store")
      expectNothingWrong(visit)
    }))
})
