/** The marketplace in the dashboard, from the search for an API to its calls. */
import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { goTo, looksRight, openedDashboard } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong, press } from "../support/browser/visit.ts"
import { field, send } from "../support/client.ts"
import { answering } from "../support/marketplace/gateway.ts"
import {
  addPlan,
  addVersion,
  openapi,
  publish,
  publisherOn,
  type TestPublisher
} from "../support/marketplace/publisher.ts"
import { subscriberOf } from "../support/marketplace/subscriptions.ts"
import { startServer, TestServer } from "../support/server.ts"

/** A server that lets publishers have upstreams on this machine. */
const server = Layer.scoped(
  TestServer,
  Effect.orDie(startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" }))
)

const weather = openapi(
  {
    "/forecasts": {
      post: {
        operationId: "ask",
        tags: ["Forecasts"],
        summary: "Ask for a forecast",
        parameters: [{ name: "units", in: "query", schema: { enum: ["metric", "imperial"] } }],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Ask" } } }
        },
        responses: { 201: { description: "The forecast was made" } }
      }
    },
    "/now": {
      get: {
        operationId: "now",
        tags: ["Observations"],
        summary: "The weather as it is",
        responses: {
          200: {
            description: "The weather",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Weather" } } }
          }
        }
      }
    }
  },
  {
    components: {
      schemas: {
        Ask: {
          type: "object",
          required: ["station"],
          properties: { station: { type: "string" }, days: { type: "integer", maximum: 10, default: 3 } }
        },
        Weather: {
          type: "object",
          properties: { sky: { enum: ["clear", "rain"] }, next: { $ref: "#/components/schemas/Weather" } }
        }
      }
    }
  }
)

/** An API that answers every call, with its plans. */
const weatherOf = (publisher: TestPublisher, name: string) =>
  Effect.gen(function* () {
    const { url } = yield* answering("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nrain")
    const api = yield* publisher.newApi({ name, description: "Of **tomorrow**." })
    yield* addVersion(publisher, api, { upstreamUrl: url, openapi: weather })
    const planId = yield* addPlan(publisher, api, { requestsPerMinute: 60, requestsPerMonth: 10_000 })
    yield* addPlan(publisher, api, { name: "Unlimited" })
    yield* publish(publisher, api)
    return { ...api, planId }
  })

/** The URL and the key in a command to paste. */
const callIn = (command: string | null) => ({
  path: /'http:\/\/doorlock\.test(\/[^']*)'/.exec(command ?? "")?.[1] ?? "",
  key: /x-api-key: (\w+)'/.exec(command ?? "")?.[1] ?? ""
})

inBrowser(server)("the marketplace in the dashboard", (test) => {
  test("an API is found, read about, subscribed to, and called; keys are rotated and revoked, and the subscription cancelled", () =>
    Effect.gen(function* () {
      const publisher = yield* publisherOn(yield* TestServer)
      yield* weatherOf(publisher, "Weather of the walk")
      const { member, page, server, visit } = yield* openedDashboard("/dashboard")
      const ask = subscriberOf(server, member)
      const status = ({ key, path }: ReturnType<typeof callIn>) =>
        Effect.map(send(server, "GET", path, { headers: { "x-api-key": key } }), (answer) => answer.status)

      yield* goTo(visit, "Subscriptions")
      yield* looksRight(visit, "Subscriptions")
      yield* act(() => page.getByRole("link", { name: "Browse APIs" }).click())
      yield* looksRight(visit, "Marketplace")
      yield* act(() => page.getByRole("link", { name: "Weather of the walk" }).click())
      yield* looksRight(visit, "Weather of the walk")

      // Its documentation.
      yield* act(() => page.getByText("POST /forecasts").click())
      for (const shown of [
        'one of "metric", "imperial"',
        "at most 10 · by default 3",
        "The forecast was made"
      ]) {
        yield* act(() => page.getByText(shown).waitFor())
      }
      const example = yield* act(() => page.locator("pre").first().textContent())
      expect(JSON.parse(example ?? "")).toEqual({ station: "text", days: 3 })
      yield* looksRight(visit, "Weather of the walk")
      // The URL holds what is open, so that it can be linked to.
      yield* act(() =>
        expect.poll(() => new URL(page.url()).searchParams.get("operation")).toBe("POST /forecasts")
      )
      yield* act(() => page.reload())
      yield* act(() => page.getByText("The forecast was made").waitFor())
      const download = page.waitForEvent("download")
      yield* act(() => page.getByRole("link", { name: "Download the OpenAPI document" }).click())
      const downloaded = yield* act(() => download)
      expect(downloaded.suggestedFilename()).toMatch(/\.openapi\.json$/)

      yield* act(() => page.getByRole("link", { name: "Subscribe" }).click())
      yield* looksRight(visit, "Subscribe to Weather of the walk")
      yield* act(() => press(page, "Subscribe"))
      yield* act(() => page.getByText("Name of your first key is required").waitFor())
      yield* act(() => page.getByLabel("Name of your first key").fill("web shop"))
      yield* act(() => press(page, "Subscribe"))
      yield* looksRight(visit, "You are subscribed")
      expect(field((yield* ask.list).body, "subscriptions")).toHaveLength(1)

      // The displayed call works.
      const secret = yield* act(() => page.locator(".secret code").textContent())
      const first = callIn(yield* act(() => page.locator("pre").textContent()))
      expect(first.key).toBe(secret)
      expect(first.path).toMatch(/\/v\/1\/now$/)
      expect(yield* status(first)).toBe(200)

      yield* act(() => page.getByRole("link", { name: "I have copied it" }).click())
      yield* looksRight(visit, "Weather of the walk")
      yield* act(() => page.waitForURL("**/dashboard/subscriptions/*"))

      // Rotate: both keys work until the old one is revoked.
      yield* act(() => page.getByRole("link", { name: "Rotate web shop" }).click())
      yield* looksRight(visit, "Rotate a key")
      yield* act(() => page.getByLabel("How long the old key keeps working").selectOption("For an hour"))
      yield* act(() => press(page, "Rotate key"))
      yield* looksRight(visit, "Your replacement key")
      const second = callIn(yield* act(() => page.locator("pre").textContent()))
      expect(second.key).not.toBe(first.key)
      expect(yield* status(first)).toBe(200)
      expect(yield* status(second)).toBe(200)
      yield* act(() => page.getByRole("link", { name: "I have copied it" }).click())
      const old = page.getByRole("row").filter({ hasText: "works until" })
      yield* act(() => press(old, "Revoke web shop"))
      yield* act(() => press(page.getByRole("dialog", { name: "Revoke “web shop”?" }), "Revoke key"))
      yield* act(() => page.getByText("“web shop” is revoked").waitFor())
      expect(yield* status(first)).toBe(401)
      expect(yield* status(second)).toBe(200)

      yield* act(() => press(page, "Cancel subscription"))
      const question = page.getByRole("dialog", { name: "Cancel the subscription to Weather of the walk?" })
      yield* act(() => press(question, "Yes, cancel it"))
      yield* act(() => page.locator("dd").getByText("Cancelled").waitFor())
      // The button that had the focus is gone.
      yield* act(() => expect.poll(() => page.locator("main h1:focus").count()).toBe(1))
      expect(yield* status(second)).toBe(403)
      yield* looksRight(visit, "Weather of the walk")
      expectNothingWrong(visit)
    }))

  test("a long, hostile document is shown only as text, in parts", () =>
    Effect.gen(function* () {
      const publisher = yield* publisherOn(yield* TestServer)
      const api = yield* publisher.newApi({
        name: "Hostile",
        description: "<img src=x onerror=alert(1)> [home](javascript:alert(1)) [guide](https://guide.test/a)"
      })
      const inner = { $ref: "#/components/schemas/Loop" }
      const paths = Object.fromEntries(
        Array.from({ length: 990 }, (_, index) => [
          `/things/${index}`,
          {
            get: {
              summary: `Thing ${index} <b>bold</b>`,
              description: `${"[".repeat(300)}<script>alert(1)</script>`,
              responses: { 200: { description: "It", content: { "application/json": { schema: inner } } } }
            }
          }
        ])
      )
      yield* addVersion(publisher, api, {
        openapi: openapi(
          {
            ...paths,
            "/odd'; echo pwned \n$(id)/{x}": {
              get: {
                summary: "Odd path",
                externalDocs: { url: "javascript:alert(1)" },
                responses: { 204: { description: "Nothing" } }
              }
            }
          },
          {
            components: {
              schemas: {
                Loop: {
                  type: "object",
                  description: "<iframe src=https://evil.test></iframe>",
                  properties: { again: inner, constructor: { type: "string" } }
                }
              }
            }
          }
        )
      })
      yield* publish(publisher, api)
      const { page, visit } = yield* openedDashboard(`/dashboard/marketplace/${api.id}`)
      yield* looksRight(visit, "Hostile")
      yield* act(() => page.getByText("991 operations").waitFor())
      yield* act(() => expect.poll(() => page.locator("details.operation").count()).toBe(50))
      // A description yields only one link, the one to the web.
      const links = page.locator(".prose a")
      yield* act(() => expect.poll(() => links.count()).toBe(1))
      yield* act(() => expect.poll(() => links.getAttribute("rel")).toBe("noopener noreferrer nofollow"))
      yield* act(() => page.getByText("(guide.test)").waitFor())

      yield* act(() => page.getByLabel("Find an operation").fill("thing 777"))
      yield* act(() => page.getByText("1 found").waitFor())
      yield* act(() => expect.poll(() => page.locator("details.operation").count()).toBe(1))
      yield* act(() => page.getByText("GET /things/777").click())
      yield* act(() => page.getByText("<script>alert(1)</script>").waitFor())

      yield* act(() => page.getByLabel("Find an operation").fill("odd"))
      yield* act(() => page.getByText("Odd path").click())
      const command = yield* act(() => page.locator("details.operation pre").last().textContent())
      expect(command?.split("\n")[0]).toMatch(/^curl 'http:\/\/doorlock\.test\/gateway\/[^'\s]*' \\$/)
      yield* act(() =>
        expect.poll(() => page.locator("main iframe, main img, main script, .operation a").count()).toBe(0)
      )
      yield* looksRight(visit, "Hostile")
      expectNothingWrong(visit)
    }))
})
