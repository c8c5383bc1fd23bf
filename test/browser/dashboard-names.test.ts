/** Names that are one long word, which others may well give, from the narrowest phone to a small laptop; and names in another script. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { openedDashboard } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong } from "../support/browser/visit.ts"
import { createInstance, createKey, createSession, join, signUp, text } from "../support/client.ts"
import { addPlan, addVersion, becomePublisher, publish } from "../support/marketplace/publisher.ts"
import { subscriberOf } from "../support/marketplace/subscriptions.ts"
import { TestServer } from "../support/server.ts"

const name = "W".repeat(200)

inBrowser(TestServer.layer)("names in the dashboard", (test) => {
  test("that are long do not make a page wider than the screen", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const owner = yield* signUp(server)
      yield* createKey(server, owner, { name })
      const scopes = ["kyc:sessions:create", "kyc:sessions:read", "kyc:files:read"]
      const key = yield* createKey(server, owner, { name: "deploy", scopes, expiresAt: "2099-12-31" })
      const instance = yield* createInstance(server, owner, { name })
      yield* createSession(server, key.token, instance.id, { externalReference: name })
      yield* join(server, owner, "viewer")
      const slug = `s${crypto.randomUUID()}`
      const publisher = yield* becomePublisher(server, owner, { name, slug })
      const api = yield* publisher.newApi({ slug: "a".repeat(50), name, description: name })
      yield* addVersion(publisher, api)
      const planId = yield* addPlan(publisher, api, { name })
      yield* publish(publisher, api)
      const { body } = yield* subscriberOf(server, owner).subscribe({ id: api.id, planId }, { name })
      const subscription = text(body, "subscription", "id")
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
          [844, 390],
          [960, 600],
          [1024, 768],
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
})
