/** The docs in a browser: reading, searching, and trying operations. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { inBothSchemes } from "../support/browser/axe.ts"
import { desktop, phone, signInAs } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  act,
  arrived,
  expectNothingWrong,
  hasFocus,
  heading,
  press,
  visitor
} from "../support/browser/visit.ts"
import { createInstance, createKey, join, signUp } from "../support/client.ts"
import { TestServer } from "../support/server.ts"

/** With steps; with tables, long code and drawings. */
const guides = ["quickstart", "workflows", "webhooks", "error-codes"].map((name) => `/docs/guides/${name}`)

const create = "/docs/operations/kyc-session-creation.create"

inBrowser(TestServer.layer)("the docs in a browser", (test) => {
  const opened = (path: string, options: Parameters<typeof visitor>[1] = desktop) =>
    Effect.gen(function* () {
      const visit = yield* visitor({ server: yield* TestServer }, options)
      yield* act(() => visit.page.goto(visit.origin + path))
      return visit
    })

  for (const [device, size] of Object.entries({
    desktop,
    "a narrow phone": { viewport: { width: 320, height: 568 } }
  })) {
    test(`are without serious fault, and fit, on ${device}, light and dark`, () =>
      Effect.gen(function* () {
        const visit = yield* opened("/docs", size)
        const { page } = visit
        for (const path of ["/docs", "/docs/events", create, ...guides]) {
          yield* act(() => page.goto(visit.origin + path))
          yield* act(() => page.locator(".search").waitFor({ state: "attached" }))
          yield* act(() => inBothSchemes(page, path))
          const overflow = () => page.evaluate("document.documentElement.scrollWidth - innerWidth")
          yield* act(() => expect.poll(overflow, { message: path }).toBe(0))
        }
        expectNothingWrong(visit)
      }))
  }

  test("are searched with the keyboard, and each operation has an address to go back from", () =>
    Effect.gen(function* () {
      const visit = yield* opened("/docs")
      const { page } = visit
      const search = page.getByRole("searchbox", { name: "Search the docs" })
      yield* act(() => search.waitFor())
      // What is in the page is enough to search.
      yield* act(() => visit.context.setOffline(true))
      yield* act(() => page.keyboard.press("/"))
      yield* act(() => hasFocus(search))
      yield* act(() => page.keyboard.type("instance-required"))
      yield* act(() => page.getByText("1 found").waitFor())
      yield* act(() => visit.context.setOffline(false))
      yield* act(() => page.keyboard.press("ArrowDown"))
      yield* act(() => hasFocus(page.getByRole("link", { name: /^Create a session POST/ })))
      yield* act(() => page.keyboard.press("Enter"))
      yield* act(() => arrived(page, "Create a session"))
      yield* act(() => expect.poll(() => new URL(page.url()).pathname).toBe(create))
      yield* act(() => expect.poll(() => page.title()).toBe("Create a session · doorlock API"))
      yield* act(() => page.keyboard.press("/"))
      yield* act(() => page.keyboard.press("Escape"))
      yield* act(() => page.locator("#pages [aria-current]").getByText("Create a session").waitFor())
      yield* act(() => page.goBack())
      yield* act(() => arrived(page, "doorlock API"))
      expectNothingWrong(visit)
    }))

  test("a signed-in user creates a session with the first press: code and form have their own instance", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const member = yield* signUp(server)
      const { publicKey } = yield* createInstance(server, member)
      const visit = yield* visitor({ server }, desktop)
      const { page } = visit
      yield* signInAs(visit, member)
      yield* act(() => page.goto(`${visit.origin}/docs/guides/quickstart`))
      yield* act(() => page.getByText(`export DOORLOCK_INSTANCE=${publicKey}`).waitFor())
      yield* act(() => page.goto(visit.origin + create))
      yield* act(() => page.locator(".samples .curl").getByText(publicKey).waitFor())
      const form = page.locator("#try")
      yield* act(() => expect.poll(() => form.getByLabel("Body").inputValue()).toContain(publicKey))
      yield* act(() => press(form, "Send"))
      yield* act(() => form.getByText("201", { exact: true }).waitFor())
      yield* act(() => form.getByText(/"verificationUrl"/).waitFor())
      // The session as the user: no key is needed, and the newest session is filled in.
      yield* act(() => page.goto(`${visit.origin}/docs/operations/kyc-partner-sessions.get`))
      yield* act(() => expect.poll(() => form.getByLabel("id").inputValue()).toMatch(/^[0-9a-f-]{36}$/))
      yield* act(() => press(form, "Send"))
      yield* act(() => form.getByText("200", { exact: true }).waitFor())
      expectNothingWrong(visit)
      // Reviewers and viewers may make no keys, and are not asked for what they may not see.
      const viewer = yield* visitor({ server }, desktop)
      yield* signInAs(viewer, yield* join(server, member, "reviewer"))
      yield* act(() => viewer.page.goto(viewer.origin + create))
      yield* act(() => viewer.page.getByText("It stays in this tab's memory, for an hour at most.").waitFor())
      expectNothingWrong(viewer)
    }))

  test("a key is kept in the tab's memory only, until it is refused or an hour old; an error shows its code", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const member = yield* signUp(server)
      const { token } = yield* createKey(server, member)
      const visit = yield* visitor({ server }, desktop)
      const { page } = visit
      yield* act(() => page.clock.install())
      yield* act(() => page.goto(`${visit.origin}/docs/operations/events.list`))
      const form = page.locator("#try")
      yield* act(() => form.getByLabel("Platform key").fill("dlk_wrong"))
      yield* act(() => press(form, "Send"))
      yield* act(() => form.getByText("invalid-api-key").waitFor())
      yield* act(() => expect.poll(() => form.getByLabel("Platform key").inputValue()).toBe(""))
      yield* act(() => form.getByLabel("Platform key").fill(token))
      const call = /\/api\/events/
      yield* act(() => page.route(call, (route) => route.abort()))
      yield* act(() => press(form, "Send"))
      yield* act(() => form.getByText("The call could not be sent, or its answer was lost.").waitFor())
      yield* act(() => page.unroute(call))
      yield* act(() => press(form, "Send"))
      yield* act(() => form.getByText(/"events"/).waitFor())
      yield* act(() => page.getByRole("link", { name: "Read one event", exact: true }).click())
      yield* act(() => arrived(page, "Read one event"))
      yield* act(() => expect.poll(() => form.getByLabel("Platform key").inputValue()).toBe(token))
      const stored = () =>
        page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])")
      yield* act(() => expect.poll(stored).not.toContain(token))
      yield* act(() => page.clock.fastForward("01:00:01"))
      yield* act(() => expect.poll(() => form.getByLabel("Platform key").inputValue()).toBe(""))
      expectNothingWrong(visit)
    }))

  test("can be read and printed without scripts", () =>
    Effect.gen(function* () {
      const visit = yield* opened("/docs", { ...phone, javaScriptEnabled: false })
      const { page } = visit
      yield* act(() => press(page, "Contents"))
      yield* act(() => page.getByText("Verify a person", { exact: true }).first().click())
      yield* act(() =>
        page.locator("#contents").getByRole("link", { name: "Create a session POST", exact: true }).click()
      )
      yield* act(() => heading(page, "Create a session"))
      yield* act(() => page.getByRole("radio", { name: "Go" }).check())
      yield* act(() => page.getByText("http.NewRequest(").waitFor())
      yield* act(() => page.getByRole("cell", { name: "instance-required" }).waitFor())
      yield* act(() => page.emulateMedia({ media: "print" }))
      yield* act(() => page.getByRole("banner").waitFor({ state: "hidden" }))
      yield* act(() => page.getByText("http.NewRequest(").waitFor())
      expectNothingWrong(visit)
    }))
})
