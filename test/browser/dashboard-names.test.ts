/** What holds on all pages of the dashboard: names that are one long word or in another script, and the view of who may change nothing. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { looksRight, openedDashboard, phone } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong } from "../support/browser/visit.ts"
import { createInstance, createKey, createSession, join, signUp, text } from "../support/client.ts"
import { addPlan, addVersion, becomePublisher, publish } from "../support/marketplace/publisher.ts"
import { subscriberOf } from "../support/marketplace/subscriptions.ts"
import { execute } from "../support/postgres.ts"
import { TestServer } from "../support/server.ts"

/** A company with one of everything, all of it called the same. */
const everything = (name: string) =>
  Effect.gen(function* () {
    const server = yield* TestServer
    const owner = yield* signUp(server)
    yield* createKey(server, owner, { name })
    const scopes = ["kyc:sessions:create", "kyc:sessions:read", "kyc:files:read"]
    const key = yield* createKey(server, owner, { name: "deploy", scopes, expiresAt: "2099-12-31" })
    const instance = yield* createInstance(server, owner, { name })
    const session = yield* createSession(server, key.token, instance.id, { externalReference: name })
    yield* join(server, owner, "viewer")
    const publisher = yield* becomePublisher(server, owner, { name, slug: `s${crypto.randomUUID()}` })
    const api = yield* publisher.newApi({ slug: "a".repeat(50), name, description: name })
    yield* addVersion(publisher, api)
    const planId = yield* addPlan(publisher, api, { name })
    yield* publish(publisher, api)
    const { body } = yield* subscriberOf(server, owner).subscribe({ id: api.id, planId }, { name })
    const subscription = text(body, "subscription", "id")
    return { api, instance, owner, session, subscription }
  })

inBrowser(TestServer.layer)("everything in the dashboard", (test) => {
  test("does not make a page wider than the screen, however long its name is", () =>
    Effect.gen(function* () {
      const { api, instance, owner, subscription } = yield* everything("W".repeat(200))
      const { page, visit } = yield* openedDashboard("/dashboard", {
        owner,
        browser: { viewport: { width: 320, height: 640 } }
      })
      const paths = [
        "/keys",
        "/instances",
        `/instances/${instance.id}`,
        `/instances/${instance.id}/edit`,
        "/marketplace",
        `/marketplace/${api.id}`,
        `/marketplace/${api.id}/subscribe`,
        "/subscriptions",
        `/subscriptions/${subscription}`,
        `/subscriptions/${subscription}/keys/new`,
        "/publishing",
        `/publishing/${api.id}`,
        `/publishing/${api.id}/edit`,
        `/publishing/${api.id}/usage`,
        `/publishing/${api.id}/versions/new`,
        `/publishing/${api.id}/plans/new`,
        "/audit",
        "/members",
        "/sessions",
        "/account",
        ""
      ]
      for (const path of paths) {
        yield* act(() => page.goto(`${visit.origin}/dashboard${path}`))
        yield* act(() => page.locator("h1").waitFor())
        yield* act(() => expect.poll(() => page.getByText("Loading…").count()).toBe(0))
        yield* act(() => expect.poll(() => page.locator(".alert.problem").count(), { message: path }).toBe(0))
        for (const [width, height] of [
          [320, 640],
          [960, 600],
          [1280, 800]
        ] as const) {
          yield* act(() => page.setViewportSize({ width, height }))
          const widths = () => page.evaluate("[innerWidth, document.documentElement.scrollWidth]")
          const message = `${path} at ${width}x${height}`
          yield* act(() => expect.poll(widths, { message }).toEqual([width, width]))
        }
      }
      expectNothingWrong(visit)
    }))

  test("is seen by a viewer, on a phone in the dark, without a control that changes it", () =>
    Effect.gen(function* () {
      const { api, instance, owner, session, subscription } = yield* everything("Tides")
      const { page, visit } = yield* openedDashboard("/dashboard", {
        owner,
        role: "viewer",
        browser: { ...phone, colorScheme: "dark" }
      })
      const main = page.locator("main")
      const changes =
        /^(Add|Cancel|Create|Destroy|Disable|Edit|Enable|New link|Publish|Remove|Rename|Revoke|Rotate|Save|Subscribe|Unpublish)\b/
      for (const [path, title] of [
        ["/keys", "API keys"],
        ["/instances", "Instances"],
        [`/instances/${instance.id}`, "Tides"],
        ["/sessions", "Sessions"],
        [`/sessions/${session.id}`, "Tides"],
        [`/marketplace/${api.id}`, "Tides"],
        ["/subscriptions", "Subscriptions"],
        [`/subscriptions/${subscription}`, "Tides"],
        ["/publishing", "Publishing"],
        [`/publishing/${api.id}`, "Tides"],
        [`/publishing/${api.id}/usage`, "Usage of Tides"]
      ] as const) {
        yield* act(() => page.goto(`${visit.origin}/dashboard${path}`))
        yield* looksRight(visit, title)
        yield* act(() => main.getByText("Tides").first().waitFor())
        for (const role of ["button", "link"] as const) {
          const controls = () => main.getByRole(role, { name: changes }).allTextContents()
          yield* act(() => expect.poll(controls, { message: path }).toEqual([]))
        }
      }
      yield* act(() => page.goto(`${visit.origin}/dashboard/instances/${instance.id}/edit`))
      yield* looksRight(visit, "Page and steps")
      yield* act(() => expect.poll(() => page.getByRole("button", { name: "Save" }).count()).toBe(0))
      // The addresses of these work for viewers, but show no form.
      for (const [path, title] of [
        ["/keys/new", "Create an API key"],
        ["/instances/new", "Create an instance"],
        [`/subscriptions/${subscription}/keys/new`, "Create a key"],
        [`/publishing/${api.id}/edit`, "Edit the API"],
        [`/publishing/${api.id}/versions/new`, "Add a version"],
        [`/publishing/${api.id}/plans/new`, "Add a plan"]
      ] as const) {
        yield* act(() => page.goto(`${visit.origin}/dashboard${path}`))
        yield* looksRight(visit, title)
        yield* act(() => page.getByText("You can view everything here, but not change it").waitFor())
        yield* act(() => expect.poll(() => page.getByRole("form").count(), { message: path }).toBe(0))
      }
      expectNothingWrong(visit)
    }))

  test("keeps the order of a name from right to left, in lists and headings", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const owner = yield* signUp(server)
      const backwards = "2 سائق!"
      const instance = yield* createInstance(server, owner, { name: backwards })
      const { page, visit } = yield* openedDashboard("/dashboard/instances", { owner })
      const direction = (within: string) => () =>
        page
          .locator(within)
          .getByText(backwards, { exact: true })
          .evaluate((it) => getComputedStyle(it).direction)
      yield* act(() => expect.poll(direction("tbody th")).toBe("rtl"))
      yield* act(() => page.goto(`${visit.origin}/dashboard/instances/${instance.id}`))
      yield* act(() => expect.poll(direction("h1")).toBe("rtl"))
      expectNothingWrong(visit)
    }))

  test("has its instants as the user's browser writes them", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const owner = yield* signUp(server)
      const { id } = yield* createInstance(server, owner, { name: "Customers" })
      const at = "update kyc_instances set created_at = '2026-01-05T11:30:00Z' where id = $1"
      yield* execute(server.databaseUrl, at, [id])
      const { page, visit } = yield* openedDashboard("/dashboard/instances", {
        browser: { locale: "de-DE", timezoneId: "Europe/Berlin" },
        owner
      })
      const time = page.getByRole("row", { name: /Customers/ }).locator("time")
      yield* act(() => expect.poll(() => time.textContent()).toMatch(/^5\. Jan\. 2026.*12:30 MEZ$/))
      yield* act(() => expect.poll(() => time.getAttribute("lang")).toBe("de-DE"))
      expectNothingWrong(visit)
    }))
})
